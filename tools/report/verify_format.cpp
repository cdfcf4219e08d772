#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "tools/report/document.h"
#include "tools/report/mode_formats.h"
#include "tools/report/report_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns all 128 bits: "0x" and 32 digits.
std::string hex(const ZobristKey& key) {
  return fmt::format("0x{:016x}{:016x}", key.high, key.low);
}

/// Writes a report as JSON; positions and moves in the root's notation.
class Formatter {
 public:
  Formatter(const VerifyReport& report, const Line& root, Depth depth)
      : report_(report), root_(root), notation_(root.notation()), depth_(depth) {}

  [[nodiscard]] Json json() const {
    const Recount& recount = report_.recount;
    Json runs = Json::array();
    for (const VerifiedRun& run : report_.runs) runs.push_back(run_json(run));
    return {
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
  }

 private:
  [[nodiscard]] std::string fen(const Position& position) const {
    return to_fen(position, notation_);
  }
  [[nodiscard]] std::string uci(Move move) const { return to_uci(move, notation_); }

  /// Returns null if the positions were not also counted by configurations.
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

  /// Returns the first finding as `{"kind": …}` with its details; kind "unknown" if there is none.
  [[nodiscard]] Json cause_json(const Explanation& explanation) const {
    const AuditFindings& findings = explanation.findings;
    Json json;
    if (findings.key_fault) {
      const KeyFault& fault = *findings.key_fault;
      json = {{"kind", "key"},
              {"fen", fen(fault.position)},
              {"move", uci(fault.move)},
              {"incremental", hex(fault.incremental)},
              {"from_scratch", hex(fault.from_scratch)}};
    } else if (findings.kernel_fault) {
      const KernelFault& fault = *findings.kernel_fault;
      json = {{"kind", "kernel"}, {"fen", fen(fault.position)}, {"depth", fault.depth.plies()}};
      for (const KernelFault::Opinion& opinion : fault.opinions) {
        Json moves = Json::array();
        for (const Move move : opinion.moves) moves.push_back(uci(move));
        json["opinions"].push_back(
            {{"who", opinion.who},
             {"moves", std::move(moves)},
             {"after", opinion.after ? Json(fen(*opinion.after)) : Json(nullptr)},
             {"nodes", opinion.leaves.to_string()}});
      }
    } else if (findings.false_match) {
      json = {{"kind", "false_match"}};
      for (const CountedPosition& side : *findings.false_match)
        json["positions"].push_back(counted_json(side));
    } else if (findings.wrong_entry) {
      json = {{"kind", "entry"}};
      json.update(counted_json(findings.wrong_entry->recounted));
      json["stored"] = findings.wrong_entry->stored.to_string();
    } else if (explanation.configurations_fault) {
      const ConfigurationsFault& fault = *explanation.configurations_fault;
      json = {{"kind", "configurations"},
              {"fen", fen(fault.position)},
              {"depth", fault.depth.plies()},
              {"nodes", fault.nodes.to_string()},
              {"stored", fault.by_configurations.to_string()}};
    } else {
      json = {{"kind", "unknown"}};
    }
    json["searched_positions"] = explanation.recounted;
    json["searched_keys"] = explanation.keys;
    json["complete"] = explanation.complete;
    return json;
  }

  [[nodiscard]] Json counted_json(const CountedPosition& counted) const {
    return {{"fen", fen(counted.position)},
            {"depth", counted.depth.plies()},
            {"key", hex(counted.key)},
            {"nodes", counted.leaves.to_string()}};
  }

  const VerifyReport& report_;
  const Line& root_;
  const CastlingNotation notation_;
  const Depth depth_;
};

/// Returns a further line of a row, without a name.
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

/// Says how many incremental keys were compared with keys from scratch.
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

/// Returns the count by configurations and the root moves on which it differs; empty if there was
/// none, as in reports of older versions.
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

/// Says how two kernels differ: in the moves, in the position after a move, or only in the count.
std::string kernel_text(const Json& cause) {
  std::string text = more(text_in(cause, "fen"));
  const Json& opinions = cause.at("opinions");
  const bool same_moves = std::ranges::all_of(
      opinions, [](const Json& opinion) { return opinion.at("moves").empty(); });
  for (const Json& opinion : opinions) {
    std::string says = text_in(opinion, "who") + ": ";
    const Json& moves = opinion.at("moves");
    if (same_moves) {
      const int plies = cause.at("depth").get<int>();
      says += fmt::format("{} paths of {} {}", text_in(opinion, "nodes"), plies,
                          plies == 1 ? "ply" : "plies");
    } else if (!opinion.at("after").is_null()) {
      says += moves.at(0).get<std::string>() + " leads to " + text_in(opinion, "after");
    } else {
      says += moves.empty() ? "lists no other moves" : "also lists";
      for (const Json& move : moves) says += ' ' + move.get<std::string>();
    }
    text += more(says);
  }
  return text;
}

/// Describes the cause of a difference, and how far the search went.
std::string cause_text(const Json& run) {
  const Json& cause = run.at("cause");
  const std::string& kind = text_in(cause, "kind");
  std::string text;
  if (kind == "key") {
    text += text_line("cause", "an incremental key differs from the key from scratch");
    text += more(text_in(cause, "fen") + "  after " + text_in(cause, "move"));
    text += more(text_in(cause, "incremental") + " incremental");
    text += more(text_in(cause, "from_scratch") + " from scratch");
  } else if (kind == "kernel") {
    text += text_line("cause", "two kernels disagree") + kernel_text(cause);
  } else if (kind == "false_match") {
    text += text_line("cause", fmt::format("two different positions with one key of {} bits",
                                           run.at("key_bits").get<int>()));
    for (const Json& side : cause.at("positions")) {
      text += more(fmt::format("{}  {} plies deep: {}", text_in(side, "fen"),
                               side.at("depth").get<int>(), text_in(side, "nodes")));
      text += more(text_in(side, "key"));
    }
  } else if (kind == "entry") {
    text += text_line("cause", "a corrupted table entry");
    text += more(fmt::format("{}  {} plies deep: {} stored, {} recounted", text_in(cause, "fen"),
                             cause.at("depth").get<int>(), text_in(cause, "stored"),
                             text_in(cause, "nodes")));
    text += more(text_in(cause, "key"));
  } else if (kind == "configurations") {
    text += text_line("cause", "only the count by configurations is wrong");
    text += more(fmt::format("{}  {} plies deep: {} by configurations, {} without",
                             text_in(cause, "fen"), cause.at("depth").get<int>(),
                             text_in(cause, "stored"), text_in(cause, "nodes")));
  } else {
    text += text_line("cause", "not found");
  }
  return text + more(fmt::format(
                    "searched {} positions and {} keys elsewhere{}",
                    whole_in(cause, "searched_positions"), whole_in(cause, "searched_keys"),
                    cause.at("complete").get<bool>() ? "" : "; a limit ended the search early"));
}

/// Returns the root moves that differ, the smallest subtree that differs, and the cause.
std::string difference_text(const Json& run) {
  std::string text;
  for (const Json& row : run.at("root_moves")) {
    text += text_line("differs", fmt::format("{}: {} hashed, {} unhashed", text_in(row, "move"),
                                             text_in(row, "hashed"), text_in(row, "unhashed")));
  }
  if (!run.at("subtrees").empty()) {
    const Json& least = run.at("subtrees").at(0);
    text += text_line("subtrees",
                      fmt::format("{} with different counts; the smallest, {} plies "
                                  "deep: {} hashed, {} unhashed",
                                  whole_in(run, "differing_subtrees"), least.at("depth").get<int>(),
                                  text_in(least, "hashed"), text_in(least, "unhashed")));
    text += more(text_in(least, "fen"));
  }
  return text + cause_text(run);
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
  text += third_text(report);
  const KnownVerdict known = known_verdict(text_in(runs.at(0), "known"));
  text += text_line(
      "known",
      known_text(known, known == KnownVerdict::kMismatch ? published_for(report) : std::nullopt));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].at("cause").is_null()) continue;
    text += '\n';
    if (runs.size() > 1) text += text_line("run", i == 0 ? "hashed" : "reseeded");
    text += difference_text(runs[i]);
  }
  if (!report.at("agrees").get<bool>()) return text + "\n" + text_line("verdict", "DO NOT AGREE");
  return text + text_line("verdict", sampled(report) ? "agree in the recounted subtrees" : "agree");
}

}  // namespace manyply
