#include "tools/report/compare_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/known_values.h"
#include "tools/report/count_format.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {

using Json = nlohmann::ordered_json;

Json check_document(const CheckedValue& checked, const Line& root, Depth depth) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["expected"] = to_string(checked.expected);
  json["nodes"] = checked.nodes.to_string();
  json["verdict"] = checked.agrees() ? "match" : "mismatch";
  json["hints"] = Json::array();
  for (const auto& [name, text] : checked.hints)
    json["hints"].push_back({{"name", name}, {"text", text}});
  return json;
}

std::string check_text(const Json& document) {
  const std::string& expected = text_in(document, "expected");
  const std::string& nodes = text_in(document, "nodes");
  const std::string count = fmt::format("{}: perft({}) = {}", text_in(document, "verdict"),
                                        whole_in(document, "depth"), nodes);
  if (nodes == expected) return count + '\n';
  std::string text = fmt::format("{}, expected {}\n", count, expected);
  for (const Json& hint : document.at("hints"))
    text += fmt::format("hint: {} {}\n", expected, text_in(hint, "text"));
  return text;
}

// Hints contain commas but no quotes. So one pair of quotes around all hints suffices.
std::string check_csv(const Json& document) {
  std::string hints;
  for (const Json& hint : document.at("hints"))
    hints += (hints.empty() ? "" : "; ") + text_in(hint, "text");
  return fmt::format("depth,expected,nodes,verdict,hint\n{},{},{},{},{}\n",
                     whole_in(document, "depth"), text_in(document, "expected"),
                     text_in(document, "nodes"), text_in(document, "verdict"),
                     hints.empty() ? "" : "\"" + hints + "\"");
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
