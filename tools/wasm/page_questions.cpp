// Questions that only the page without a server asks. The answers are equal to those of a server:
// GET /v1/position for a position, POST /v1/diff for a comparison, and GET /v1/jobs/ID/result for a
// report in another format.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/position.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/answer.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"
#include "tools/wasm/library_questions.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// The largest number of paths that may be counted to interpret a paste. Counting them takes about
/// a second.
constexpr double kMostPaths = 1e8;

/// Converts `rows` of the page to a divide. Skips rows whose move is not legal in `named`.
Result<std::vector<DivideEntry>> rows_in(const Json& rows, const NamedPosition& named) {
  std::vector<DivideEntry> all;
  for (const Move move : legal_moves(named.position)) {
    const std::string name = to_uci(move, named.notation);
    for (const Json& row : rows) {
      if (row.at("move") != name) continue;
      const auto nodes = NodeCount::parse(row.at("nodes").get<std::string>());
      if (!nodes) return nodes.error();
      all.push_back({move, *nodes});
    }
  }
  return all;
}

double paths(const std::vector<DivideEntry>& rows) {
  double sum = 0;
  for (const DivideEntry& row : rows) sum += row.nodes.approximate();
  return sum;
}

Json diff_of(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Line& line = question->line;
  const Depth depth = question->depth;
  if (depth.plies() == 0)
    return refusal({ErrorCode::kInvalidInput, "depth", 0, "must be at least 1 for a divide"});
  auto pasted = read_paste(json.value("pasted", ""), line, depth);
  if (!pasted) return refusal(pasted.error());
  const auto ours = rows_in(json.at("ours"), line.named());
  if (!ours) return refusal(ours.error());
  const double known = paths(*ours);
  const double moves = std::max<double>(static_cast<double>(ours->size()), 8);
  const OurDivide divide = [&](const Line& at, Depth to) -> Result<std::vector<DivideEntry>> {
    double expected = known;
    for (int plies = depth.plies(); plies < to.plies(); ++plies) expected *= moves;
    for (int plies = depth.plies(); plies > to.plies(); --plies) expected /= moves;
    if (expected > kMostPaths) return Error{ErrorCode::kUnavailable, "", 0, "takes too long"};
    return manyply::divide(at.here(), to);
  };
  const auto divides = with_depths(*std::move(pasted), line, depth, divide);
  if (!divides) return refusal(divides.error());
  std::optional<bool> right_as_fen;
  if (const auto told = json.find("right_as_fen"); told != json.end() && told->is_boolean())
    right_as_fen = told->get<bool>();
  return read_json(diff_of_paste(line, depth, *ours, *divides, right_as_fen, divide));
}

/// Converts a document to another format.
Json written_as(const Json& json) {
  const auto mode = parse_count_mode(json.value("mode", ""));
  if (!mode) return refusal(mode.error());
  const auto format =
      std::ranges::find(kFormats, json.value("format", std::string()), &FormatInfo::name);
  if (format == kFormats.end())
    return refusal({ErrorCode::kInvalidInput, "format", 0, "is not a known format"});
  const auto text = written(*mode, static_cast<Format>(format - kFormats.begin()),
                            json_text(json.at("document")));
  if (!text) return refusal(text.error());
  return {{"text", *text}};
}

}  // namespace

std::optional<Json> answer_more(std::string_view what, const Json& json) {
  if (what == "describe") {
    const Result<Question> question = question_in(json);
    if (!question) return refusal(question.error());
    const PositionText read = position_text(json.value("fen", "startpos"));
    return read_json(position_document(question->line, read));
  }
  if (what == "diff") return diff_of(json);
  if (what == "written") return written_as(json);
  return std::nullopt;
}

}  // namespace manyply
