#include "tools/report/check_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/report/document.h"
#include "tools/text/json_text.h"

namespace manyply {

using Json = nlohmann::ordered_json;

std::string check_document(const CheckedValue& checked, const Line& root, Depth depth) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["expected"] = to_string(checked.expected);
  json["nodes"] = checked.nodes.to_string();
  json["verdict"] = checked.agrees() ? "match" : "mismatch";
  json["hints"] = Json::array();
  for (const auto& [name, text] : checked.hints)
    json["hints"].push_back({{"name", name}, {"text", text}});
  return json_line(json);
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

// Hints contain commas but no quotes, so quotes around all of them suffice.
std::string check_csv(const Json& document) {
  std::string hints;
  for (const Json& hint : document.at("hints"))
    hints += (hints.empty() ? "" : "; ") + text_in(hint, "text");
  return fmt::format("depth,expected,nodes,verdict,hint\n{},{},{},{},{}\n",
                     whole_in(document, "depth"), text_in(document, "expected"),
                     text_in(document, "nodes"), text_in(document, "verdict"),
                     hints.empty() ? "" : "\"" + hints + "\"");
}

}  // namespace manyply
