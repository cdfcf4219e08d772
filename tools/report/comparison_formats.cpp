// `perft verify` and `perft compare`: documents and text.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "tools/report/count_format.h"
#include "tools/report/document_members.h"
#include "tools/report/mode_formats.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns all 128 bits: "0x" and 32 digits.
std::string hex(const ZobristKey& key) {
  return fmt::format("0x{:016x}{:016x}", key.high, key.low);
}

/// Writes a report as JSON. Positions and moves are in the root's notation.
class Formatter {
 public:
  Formatter(const VerifyReport& report, const Line& root, Depth depth)
      : report_(report), root_(root), notation_(root.notation()), depth_(depth) {}

  [[nodiscard]] Json json() const {
    const Recount& recount = report_.recount;
    Json runs = Json::array();
    for (const VerifiedRun& run : report_.runs) runs.push_back(run_json(run));
    Json json{
        {"fen", fen(root_.here())},
        {"depth", depth_.plies()},
        {"agrees", report_.agrees()},
        {"subtrees", report_.subtrees},
        {"hashed", std::move(runs)},
        {"key_check", {{"keys", report_.key_check.keys}, {"subtrees", report_.key_check.subtrees}}},
        {"unhashed",
         {{"nodes", recount.nodes.to_string()},
          {"subtrees", recount.subtrees},
          {"visited", recount.visited},
          {"seconds", recount.seconds}}},
        {"configurations", third_json()}};
    if (report_.device) json["device"] = device_json(*report_.device);
    return json;
  }

 private:
  [[nodiscard]] std::string fen(const Position& position) const {
    return to_fen(position, notation_);
  }
  [[nodiscard]] std::string uci(Move move) const { return to_uci(move, notation_); }

  /// Returns the third count, which is by configurations; null if there was no such count.
  [[nodiscard]] Json third_json() const {
    if (!report_.third) return nullptr;
    const ThirdOpinion& third = *report_.third;
    Json json{{"nodes", third.nodes.to_string()},
              {"seconds", third.seconds},
              {"root_moves", Json::array()}};
    for (const ThirdOpinion::Difference& row : third.root_moves) {
      json["root_moves"].push_back({{"move", uci(row.move)},
                                    {"configurations", row.nodes.to_string()},
                                    {"unhashed", row.recounted.to_string()}});
    }
    return json;
  }

  [[nodiscard]] static Json device_json(const DeviceOpinion& opinion) {
    return {{"nodes", opinion.nodes.to_string()},
            {"seconds", opinion.seconds},
            {"use", device_use_json(opinion.use)}};
  }

  [[nodiscard]] Json run_json(const VerifiedRun& run) const {
    const Report& report = run.report;
    Json json{{"nodes", report.nodes.to_string()},
              {"known", to_string(report.known)},
              {"seconds", report.seconds},
              {"setup_seconds", report.setup_seconds}};
    add_hash_json(report, json);
    json["differing_subtrees"] = run.differing_subtrees;
    json["subtrees"] = Json::array();
    for (const SubtreeDifference& subtree : run.subtrees) {
      json["subtrees"].push_back({{"fen", fen(subtree.position)},
                                  {"depth", subtree.depth.plies()},
                                  {"hashed", subtree.hashed.to_string()},
                                  {"unhashed", subtree.recounted.to_string()}});
    }
    json["root_moves"] = Json::array();
    for (const RootMoveDifference& row : run.root_moves) {
      json["root_moves"].push_back({{"move", uci(row.move)},
                                    {"hashed", row.hashed.to_string()},
                                    {"unhashed", row.recounted.to_string()}});
    }
    json["cause"] = run.explanation ? cause_json(*run.explanation) : Json(nullptr);
    return json;
  }

  [[nodiscard]] Json cause_json(const Explanation& explanation) const {
    constexpr std::array kKinds{"key", "table", "kernel", "configurations", "device", "unknown"};
    Json json{{"kind", kKinds.at(static_cast<std::size_t>(explanation.part))}};
    if (explanation.key_fault) {
      const KeyFault& fault = *explanation.key_fault;
      json.update({{"fen", fen(fault.position)},
                   {"move", uci(fault.move)},
                   {"incremental", hex(fault.incremental)},
                   {"from_scratch", hex(fault.from_scratch)}});
    }
    return json;
  }

  const VerifyReport& report_;
  const Line& root_;
  const CastlingNotation notation_;
  const Depth depth_;
};

/// Returns a line without a name, for the second and later lines of a row.
std::string more(std::string_view value) { return text_line("", value); }

/// Describes a hashed run: total, time, table, keys, expected false matches.
std::string hashed_text(const Json& run) {
  std::string text =
      fmt::format("{} in {:.3f} s", text_in(run, "nodes"), run.at("seconds").get<double>());
  if (run.at("table").is_null()) return text + ", without a table: the depth is too small for one";
  return text + fmt::format(" with {}; key seed {}, {} bits; {:.2g} false matches expected",
                            format_bytes(whole_in(run, "hash_bytes")),
                            run.at("key_seed").is_null() ? "secret" : text_in(run, "key_seed"),
                            run.at("key_bits").get<int>(),
                            run.at("expected_false_matches").get<double>());
}

/// Returns the number of incremental keys that were compared with keys computed from scratch, as
/// text.
std::string keys_text(const Json& report) {
  if (report.at("hashed").at(0).at("table").is_null()) return "none, because no table was used";
  const Json& check = report.at("key_check");
  return fmt::format("{} incremental keys compared with keys from scratch, in {} of {} subtrees",
                     whole_in(check, "keys"), whole_in(check, "subtrees"),
                     whole_in(report, "subtrees"));
}

/// Returns whether only some subtrees were counted again.
bool sampled(const Json& report) {
  return whole_in(report.at("unhashed"), "subtrees") < whole_in(report, "subtrees");
}

std::string recount_text(const Json& report) {
  const Json& recount = report.at("unhashed");
  const std::uint64_t all = whole_in(report, "subtrees");
  const std::string where =
      sampled(report) ? fmt::format("below {} of {} subtrees", whole_in(recount, "subtrees"), all)
                      : fmt::format("all {} subtrees", all);
  return fmt::format("{} in {:.3f} s, {}", text_in(recount, "nodes"),
                     recount.at("seconds").get<double>(), where);
}

/// Returns the count by configurations, and the root moves for which it differs from the unhashed
/// count. Returns an empty text if there was no such count, as in reports of older versions.
std::string third_text(const Json& report) {
  const auto third = report.find("configurations");
  if (third == report.end() || third->is_null()) return "";
  std::string text =
      text_line("third", fmt::format("{} by configurations in {:.3f} s, no false matches",
                                     text_in(*third, "nodes"), third->at("seconds").get<double>()));
  for (const Json& row : third->at("root_moves")) {
    text += more(fmt::format("{}: {} by configurations, {} unhashed", text_in(row, "move"),
                             text_in(row, "configurations"), text_in(row, "unhashed")));
  }
  return text;
}

/// Returns the row about the count that a device made; empty if the report has no such count.
std::string device_text(const Json& report) {
  const auto device = report.find("device");
  if (device == report.end()) return "";
  return text_line(
      "device",
      fmt::format("{} by configurations in {:.3f} s on {}", text_in(*device, "nodes"),
                  device->at("seconds").get<double>(), text_in(device->at("use"), "name")));
}

/// Explains the fault of a hashed run. `other` is the run with other keys; null if there is none.
/// Reports of older versions have two more kinds of causes. Both kinds are faults of the table.
std::string cause_text(const Json& run, const Json* other) {
  const Json& cause = run.at("cause");
  const std::string& kind = text_in(cause, "kind");
  if (kind == "key") {
    return text_line("cause", "an incremental key differs from the key computed from scratch") +
           more(text_in(cause, "fen") + "  after " + text_in(cause, "move")) +
           more(text_in(cause, "incremental") + " incremental") +
           more(text_in(cause, "from_scratch") + " from scratch");
  }
  if (kind == "kernel") {
    return text_line("cause", "a kernel: the count without a table is wrong") +
           more("Count with --kernel scalar, and run 'perft signature'.");
  }
  if (kind == "configurations")
    return text_line("cause", "only the count by configurations is wrong");
  if (kind == "device") {
    return text_line("cause", "the device: only its count is wrong") +
           more("Update its driver, and count again on the processor or another device.");
  }
  if (kind == "unknown")
    return text_line("cause", "unknown: no published total shows which count is wrong");
  return text_line("cause",
                   fmt::format("the hashed count: two positions have the same key of {} bits, an "
                               "entry was damaged, or the hashed kernel is wrong",
                               run.at("key_bits").get<int>())) +
         more(other == nullptr ? "Option --reseed shows whether other keys give the right count."
              : other->at("cause").is_null() ? "The count with other keys is right."
                                             : "The count with other keys is wrong, too.");
}

/// Returns the root moves that differ, the smallest subtree that differs, and the cause of the
/// difference.
std::string difference_text(const Json& run, const Json* other) {
  std::string text;
  for (const Json& row : run.at("root_moves")) {
    text += text_line("differs", fmt::format("{}: {} hashed, {} unhashed", text_in(row, "move"),
                                             text_in(row, "hashed"), text_in(row, "unhashed")));
  }
  if (!run.at("subtrees").empty()) {
    const Json& least = run.at("subtrees").at(0);
    text += text_line("subtrees",
                      fmt::format("{} with different counts; the smallest is {} plies "
                                  "deep: {} leaves hashed, {} unhashed",
                                  whole_in(run, "differing_subtrees"), least.at("depth").get<int>(),
                                  text_in(least, "hashed"), text_in(least, "unhashed")));
    text += more(text_in(least, "fen"));
  }
  return text + cause_text(run, other);
}

}  // namespace

Json verify_document(const VerifyReport& report, const Line& root, Depth depth) {
  return Formatter(report, root, depth).json();
}

std::string verify_text(const Json& report, const Presentation&) {
  const Json& runs = report.at("hashed");
  std::string text = text_line("position", position_words(text_in(report, "fen")));
  text += text_line("depth", std::to_string(report.at("depth").get<int>()));
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += text_line(i == 0 ? "hashed" : "reseeded", hashed_text(runs[i]));
  text += text_line("keys", keys_text(report)) + text_line("unhashed", recount_text(report));
  text += third_text(report) + device_text(report);
  text += text_line("known", known_in(report, runs.at(0)));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].at("cause").is_null()) continue;
    text += '\n';
    if (runs.size() > 1) text += text_line("run", i == 0 ? "hashed" : "reseeded");
    text += difference_text(runs[i], runs.size() > 1 ? &runs[1 - i] : nullptr);
  }
  if (!report.at("agrees").get<bool>()) return text + "\n" + text_line("verdict", "DO NOT AGREE");
  return text + text_line("verdict", sampled(report) ? "agree in the recounted subtrees" : "agree");
}

namespace {

/// Returns a method's member of the document.
Json method_json(const Report& report) {
  Json json{
      {"nodes", report.nodes.to_string()},
      {"known", to_string(report.known)},
      {"seconds", report.seconds},
      {"setup_seconds", report.setup_seconds},
      {"visited", report.visited},
      {"leaves_per_second", report.leaves_per_second()},
      {"visited_per_second", report.visited_per_second()},
  };
  add_hash_json(report, json);
  return json;
}

constexpr const char* kMethodRow = "{:<14} {:>24} {:>11} {:>10} {:>10} {:>9}\n";

/// Returns a row of the table. The hit rate is "-" if the method used no hash table.
std::string method_row(const char* name, const Json& method) {
  const Json& table = method.at("table");
  const std::uint64_t probes = table.is_null() ? 0 : whole_in(table, "probes");
  const std::string hit_rate =
      probes == 0 ? "-" : fmt::format("{:.1f} %", 100 * real_in(table, "hit_rate"));
  return fmt::format(kMethodRow, name, text_in(method, "nodes"),
                     fmt::format("{:.3f}", real_in(method, "seconds")),
                     si(real_in(method, "leaves_per_second")),
                     si(real_in(method, "visited_per_second")), hit_rate);
}

}  // namespace

bool agree(const MethodReports& reports) {
  // The unhashed count is the reference, because it cannot have false matches.
  const Report& sure = reports.unhashed;
  const auto same = [&](const Report& other) {
    return other.nodes == sure.nodes && other.divide == sure.divide;
  };
  return same(reports.hashed) && same(reports.configurations) &&
         sure.known != KnownVerdict::kMismatch;
}

Json compare_document(const MethodReports& reports, const Line& root, Depth depth) {
  const auto& [hashed, unhashed, configurations] = reports;
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["agrees"] = agree(reports);
  json["speed_up"] = hashed.seconds > 0 ? unhashed.seconds / hashed.seconds : 0;
  json["threads"] = hashed.threads;
  json["kernel"] = hashed.kernel;
  json["hashed"] = method_json(hashed);
  json["unhashed"] = method_json(unhashed);
  json["configurations"] = nullptr;
  if (configurations.matrix) json["configurations"] = method_json(configurations);
  return json;
}

std::string compare_text(const Json& document) {
  const Json& hashed = document.at("hashed");
  const Json& unhashed = document.at("unhashed");
  const Json& configurations = document.at("configurations");
  std::string text =
      fmt::format(kMethodRow, "", "nodes", "seconds", "leaves/s", "visited/s", "hit rate") +
      method_row("hashed", hashed) + method_row("unhashed", unhashed);
  if (!configurations.is_null()) text += method_row("configurations", configurations);
  if (hashed.at("table").is_null()) {
    text +=
        "\nspeed-up   none: the depth is too small for a table, so both counts were made without "
        "a table\n";
  } else {
    text += fmt::format(
        "\nspeed-up   {:.2f}, with {} threads, kernel {}\n"
        "hash       {}, set up in {:.3f} s before the count\n"
        "expected   {:.2g} false matches\n",
        real_in(document, "speed_up"), whole_in(document, "threads"), text_in(document, "kernel"),
        format_bytes(whole_in(hashed, "hash_bytes")), real_in(hashed, "setup_seconds"),
        real_in(hashed, "expected_false_matches"));
  }
  text += text_line("known", known_in(document, unhashed));
  return text + text_line("verdict", document.at("agrees").get<bool>()
                                         ? "agree"
                                         : "DO NOT AGREE: run 'perft verify' to find the cause");
}

}  // namespace manyply
