#include "tools/server/divide_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/bisect/comparison.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

Json count_or_null(const std::optional<NodeCount>& count) {
  return count ? Json(count->to_string()) : Json(nullptr);
}

Json rows_of(const Line& line, const Comparison& compared, const EngineAnswer& theirs) {
  std::map<std::string, Json> rows;
  const auto add = [&rows](const std::string& move, const std::optional<NodeCount>& ours,
                           const std::optional<NodeCount>& engine, bool same) {
    rows[move] = {{"move", move},
                  {"ours", count_or_null(ours)},
                  {"theirs", count_or_null(engine)},
                  {"same", same}};
  };
  for (const auto& [move, ours, engine, could_be] : compared.rows)
    add(to_uci(move, line.notation()), ours, engine, engine == ours);
  for (const EngineRow& row : theirs.rows) {  // those that are not legal
    if (!rows.contains(row.move)) add(row.move, std::nullopt, row.nodes, false);
  }
  for (const std::string& move : compared.repeated) {
    if (const auto row = rows.find(move); row != rows.end()) row->second["same"] = false;
  }
  Json sorted = Json::array();
  for (auto& [move, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

/// The move after which the smallest differing subtree lies.
Json next_of(const Line& line, Depth depth, const Comparison& compared) {
  const std::vector<Comparison::Row> wrong = compared.wrong_below();
  if (depth.plies() == 1 || wrong.empty()) return nullptr;
  const Line next = line.after(wrong.front().move);
  return {
      {"move", next.uci_moves().back()}, {"fen", next.fen_here()}, {"depth", depth.plies() - 1}};
}

Json cause_of(const Finding& finding) {
  return {{"name", name_of(finding.cause)},
          {"rule", rule_of(finding.cause)},
          {"detail", finding.detail},
          {"moves", finding.moves}};
}

/// Which pieces promotions may be that name none and have a wrong count.
std::vector<std::string> pieces_notes(const Line& line, const Comparison& compared) {
  std::vector<std::string> notes;
  for (const Comparison::Row& row : compared.rows) {
    if (row.could_be.empty() || !row.engine) continue;
    std::vector<std::string> moves;
    for (const Move move : row.could_be) moves.push_back(to_uci(move, line.notation()));
    notes.push_back(
        fmt::format("{} stands there four times without its piece; the one with {} "
                    "could be {}",
                    moves.front().substr(0, 4), row.engine->to_string(), fmt::join(moves, " or ")));
  }
  return notes;
}

}  // namespace

Result<EngineAnswer> parse_pasted_divide(std::string_view text, const Line& asked) {
  const auto bad = [](std::string why) {
    return Error{ErrorCode::kInvalidInput, "divide", 0, std::move(why)};
  };
  EngineOutputParser parser({asked.here(), asked.notation()});
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    parser.feed(line);
  }
  EngineAnswer answer = parser.answer();
  if (!answer.unread.empty()) {
    if (const auto other = position_answered(asked, answer, std::nullopt))
      return bad("is not about this position: " + other->detail);
    return bad("not understood: " + to_string(answer.unread.front()));
  }
  if (answer.rows.empty()) {
    if (!answer.total) return bad("has no line like 'e2e4: 600', a move and a count");
    if (*answer.total == NodeCount(0)) return answer;  // no moves, it says
    return bad("has a total, and no move with its count: have the divide printed");
  }
  return answer;
}

std::string diff_json(const Line& line, Depth depth, const std::vector<DivideEntry>& ours,
                      const EngineAnswer& pasted, std::optional<bool> right_as_fen,
                      const OurDivide& divide) {
  const EngineAnswer theirs = settled(pasted, line, ours);
  const Comparison compared = compare(line, ours, pasted);
  Json json{{"agrees", compared.agrees()},
            {"rows", rows_of(line, compared, theirs)},
            {"pasted_total", count_or_null(theirs.total)},
            {"pasted_sum", count_or_null(theirs.sum())},
            {"causes", Json::array()},
            {"next", nullptr},
            {"notes", pieces_notes(line, compared)}};
  const bool right = compared.agrees() && !theirs.contradicts_itself();
  const OtherQuestion other =
      right ? OtherQuestion{}
            : question_answered({line, depth, ours}, pasted, divide, std::nullopt);
  if (!other.hint.empty()) json["notes"].push_back(other.hint);
  if (other.finding && compared.agrees()) {
    json["notes"].push_back(other.finding->detail);
  } else if (other.finding) {
    json["causes"].push_back(cause_of(*other.finding));
    return json_text(json);
  }
  for (const UnreadLine& line_of_several : theirs.unread)
    json["notes"].push_back("not understood: " + to_string(line_of_several));
  if (theirs.contradicts_itself() || !theirs.unread.empty()) return json_text(json);
  json["next"] = next_of(line, depth, compared);
  if (auto observation = observe(line, depth, compared)) {
    observation->right_as_fen = right_as_fen;
    for (const Finding& finding : diagnose(line, *observation))
      json["causes"].push_back(cause_of(finding));
  }
  return json_text(json);
}

}  // namespace manyply
