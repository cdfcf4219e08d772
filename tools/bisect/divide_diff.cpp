#include "tools/bisect/divide_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

Json diff_rows(const Line& line, const Comparison& compared, const EngineAnswer& theirs) {
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

Error bad_divide(std::string why) {
  return {ErrorCode::kInvalidInput, "divide", 0, std::move(why)};
}

/// Why nothing can be said of it, if nothing can.
std::optional<Error> fault_of(const EngineAnswer& answer, const Line& asked) {
  if (!answer.unread.empty()) {
    if (const auto other = position_answered(asked, answer, std::nullopt))
      return bad_divide("is not about this position: " + other->detail);
    return bad_divide("not understood: " + to_string(answer.unread.front()));
  }
  if (!answer.rows.empty()) return std::nullopt;
  if (!answer.total) return bad_divide("has no line like 'e2e4: 600', a move and a count");
  if (*answer.total == NodeCount(0)) return std::nullopt;  // no moves, it says
  return bad_divide("has a total, and no move with its count: have the divide printed");
}

Result<std::vector<EngineAnswer>> read_paste(std::string_view text, const Line& asked,
                                             Depth depth) {
  EngineOutputParser parser(asked.named(), depth);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    parser.feed(line);
  }
  std::vector<EngineAnswer> answers = parser.answers();
  if (answers.size() == 1) answers = {parser.answer()};
  for (const EngineAnswer& answer : answers) {
    if (auto fault = fault_of(answer, asked)) return *std::move(fault);
  }
  return answers;
}

/// The depths whose totals are those of `answers`, or next to them if these ascend; else the
/// deepest ones.
Result<std::vector<Depth>> likeliest_depths(const std::vector<EngineAnswer>& answers,
                                            const Line& asked, Depth depth,
                                            const OurDivide& divide) {
  std::vector<double> totals;
  for (int plies = 1; plies <= depth.plies(); ++plies) {
    const auto ours = divide(asked, Depth(plies));
    if (!ours) return ours.error();
    double total = 0;
    for (const DivideEntry& entry : *ours) total += entry.nodes.approximate();
    totals.push_back(total);
  }
  std::vector<Depth> depths;
  bool exact = true;
  for (const EngineAnswer& answer : answers) {
    const auto sum = answer.sum();
    const double theirs = sum ? sum->approximate() : 0;
    const auto distance = [&](double ours) {
      return std::abs(std::log((theirs + 1) / (ours + 1)));
    };
    const auto nearest = std::ranges::min_element(totals, {}, distance);
    depths.emplace_back(static_cast<int>(nearest - totals.begin()) + 1);
    exact = exact && *nearest == theirs;
  }
  const bool ascend = std::ranges::adjacent_find(depths, std::greater_equal()) == depths.end();
  for (std::size_t i = 0; i < depths.size() && !ascend && !exact; ++i)
    depths[i] = Depth(depth.plies() - static_cast<int>(depths.size() - 1 - i));
  return depths;
}

}  // namespace

Result<EngineAnswer> parse_pasted_divide(std::string_view text, const Line& asked, Depth depth) {
  Result<std::vector<EngineAnswer>> all = read_paste(text, asked, depth);
  if (!all) return all.error();
  return std::move(all).value().back();
}

Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text, const Line& asked,
                                                       Depth depth, const OurDivide& divide) {
  Result<std::vector<EngineAnswer>> all = read_paste(text, asked, depth);
  if (!all) return all.error();
  const std::size_t number = all->size();
  std::vector<Depth> depths{depth};
  if (number > 1) {
    if (number > static_cast<std::size_t>(depth.plies()))
      return bad_divide(
          fmt::format("has {} divides, more than depths up to {}", number, depth.plies()));
    auto likeliest = likeliest_depths(*all, asked, depth, divide);
    if (!likeliest) return likeliest.error();
    depths = *std::move(likeliest);
  }
  std::vector<PastedDivide> divides;
  for (std::size_t i = 0; i < number; ++i) divides.push_back({depths[i], (*all)[i]});
  return divides;
}

std::string diff_document(const Line& line, Depth depth, const std::vector<DivideEntry>& ours,
                          const EngineAnswer& pasted, std::optional<bool> right_as_fen,
                          const OurDivide& divide) {
  const EngineAnswer theirs = settled(pasted, line, ours);
  const Comparison compared = compare(line, ours, pasted);
  Json json{{"agrees", compared.agrees()},
            {"rows", diff_rows(line, compared, theirs)},
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

std::string diff_of_paste(const Line& line, Depth depth, const std::vector<DivideEntry>& ours,
                          const std::vector<PastedDivide>& pasted, std::optional<bool> right_as_fen,
                          const OurDivide& divide) {
  if (pasted.size() == 1)
    return diff_document(line, depth, ours, pasted.front().answer, right_as_fen, divide);
  std::vector<PastedDivide> ascending = pasted;
  std::ranges::stable_sort(ascending, {}, &PastedDivide::depth);
  Json depths = Json::array();
  const PastedDivide* wrong = nullptr;
  for (const PastedDivide& one : ascending) {
    const auto rows = one.depth == depth ? Result(ours) : divide(line, one.depth);
    const bool agrees = rows && compare(line, *rows, one.answer).agrees();
    if (!agrees && wrong == nullptr) wrong = &one;
    depths.push_back({{"depth", one.depth.plies()}, {"agrees", agrees}});
  }
  const PastedDivide& told = wrong != nullptr ? *wrong : ascending.back();
  const auto rows = told.depth == depth ? Result(ours) : divide(line, told.depth);
  Json json = read_json(
      diff_document(line, told.depth, rows ? *rows : ours, told.answer, right_as_fen, divide));
  json["depth"] = told.depth.plies();
  json["depths"] = std::move(depths);
  return json_text(json);
}

}  // namespace manyply
