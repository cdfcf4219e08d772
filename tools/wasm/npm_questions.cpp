// Questions that only the npm package asks.
#include <string>
#include <utility>

#include "tools/text/suite.h"
#include "tools/wasm/library_questions.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the positions of a suite in any format, with their expected counts.
Json rows_of_suite(const Json& json) {
  const Result<Suite> suite = read_suite_text("suite", json.value("text", ""));
  if (!suite) return refusal(suite.error());
  Json said;
  said["rows"] = Json::array();
  for (const SuiteLine& line : suite->lines) {
    Json counts = Json::array();
    for (const EpdCount& count : line.record.counts)
      counts.push_back({{"depth", count.depth.plies()}, {"nodes", count.nodes.to_string()}});
    said["rows"].push_back({{"line", line.number},
                            {"fen", line.record.fen},
                            {"tags", line.tags},
                            {"counts", std::move(counts)}});
  }
  said["refused"] = Json::array();
  for (const RefusedLine& line : suite->refused.told)
    said["refused"].push_back({{"line", line.number}, {"message", line.error.to_string()}});
  return said;
}

}  // namespace

std::optional<Json> answer_more(std::string_view what, const Json& json) {
  if (what == "suite") return rows_of_suite(json);
  return std::nullopt;
}

}  // namespace manyply
