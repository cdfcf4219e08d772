#include "tools/diagnose/divide_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/misplay.h"
#include "tools/diagnose/other_position.h"
#include "tools/diagnose/paste_doubts.h"
#include "tools/text/json_text.h"
#include "tools/text/pasted_text.h"
#include "tools/text/printed_number.h"

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

/// Captures, checks and the like stand beside the counts of many programs.
bool is_mostly_nothing(const Comparison& compared) {
  const auto is_nothing = [](const Comparison::Row& row) {
    return row.engine == NodeCount(0) && row.ours != NodeCount(0);
  };
  return 2 * std::ranges::count_if(compared.rows, is_nothing) > std::ssize(compared.rows);
}

/// Which of them is wrong where the rows do not add up to the total.
std::string contradiction_note(const Comparison& compared, const EngineAnswer& theirs) {
  NodeCount ours;
  for (const Comparison::Row& row : compared.rows) ours += row.ours;
  if (compared.agrees()) return "The rows are right, and the total is not.";
  if (theirs.total == ours)
    return "The total is right; the rows that differ are not what it counts.";
  return "Neither the rows nor the total are ours.";
}

Error bad_divide(std::string why) {
  return {ErrorCode::kInvalidInput, "divide", 0, std::move(why)};
}

/// Of a total of 0: that there are no moves is believed of a number that is called the total, or
/// that is all there is; a 0 among other things may be anything.
bool says_nothing_else(const EngineAnswer& answer) {
  std::size_t lines = 0;
  for (const std::string& text : answer.lines) {
    if (std::ranges::any_of(text, [](char c) { return c < 0; })) ++lines;  // no sign of a number's

    const std::string line = plain(text);
    const std::vector<Token> tokens = tokens_of(line);
    lines += tokens.empty() ? 0 : 1;
    const auto names_total = [](const Token& token) {
      return token.is_word(kCountWords) || token.is_word(kTotalRows) || token.is_word(" perft ");
    };
    if (std::ranges::any_of(tokens, names_total)) return true;
  }
  return lines == 1;
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
  if (*answer.total == NodeCount(0) && says_nothing_else(answer)) return std::nullopt;
  return bad_divide("has a total, and no move with its count: have the divide printed");
}

Result<std::vector<EngineAnswer>> read_paste(std::string_view text, const Line& asked,
                                             Depth depth) {
  const Result<std::vector<std::string>> lines = pasted_lines(text);
  if (!lines) return lines.error();
  EngineOutputParser parser(asked.named(), depth);
  for (const std::string& line : *lines) parser.feed(line);
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

namespace {

/// The program has the position right as a FEN, so one of the moves that led there was played
/// wrong: if one explains the moves that it lists, that is the only cause.
void blame_move(const Line& line, const Comparison& compared, std::vector<Finding>& findings) {
  if (std::ranges::all_of(findings, names_state, &Finding::cause)) return;
  std::set<std::string> listed(compared.invented.begin(), compared.invented.end());
  for (const Comparison::Row& row : compared.rows) {
    if (row.engine) listed.insert(to_uci(row.move, line.notation()));
  }
  const std::vector<std::string> moves = line.uci_moves();
  for (std::size_t ply = 0; ply < moves.size(); ++ply) {
    if (auto misplay = misplay_that_lists(line, ply, listed)) {
      findings = {{misplay->cause, std::move(misplay->detail), {moves[ply]}}};
      return;
    }
  }
}

}  // namespace

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
            {"incomplete", false},
            {"notes", pieces_notes(line, compared)}};
  const auto note = [&](std::string text) { json["notes"].push_back(std::move(text)); };
  const bool right = compared.agrees() && !theirs.contradicts_itself();
  const OtherQuestion other =
      right ? OtherQuestion{}
            : question_answered({line, depth, ours}, pasted, divide, std::nullopt);
  if (!other.hint.empty()) note(other.hint);
  if (other.finding && compared.agrees()) {
    note(other.finding->detail);
  } else if (other.finding) {
    json["causes"].push_back(cause_of(*other.finding));
    return json_text(json);
  }
  for (const UnreadLine& line_of_several : theirs.unread)
    note("not understood: " + to_string(line_of_several));
  if (!theirs.unread.empty()) return json_text(json);
  if (is_mostly_nothing(compared)) {
    note("Most of its counts are 0: these may be another number than that of the paths.");
    return json_text(json);
  }
  if (const auto elsewhere = looks_like_another_position(line, compared, theirs)) {
    json["causes"].push_back(cause_of(*elsewhere));
    return json_text(json);
  }
  if (theirs.contradicts_itself()) {
    json["incomplete"] =
        std::ranges::any_of(compared.rows, [](const Comparison::Row& row) { return !row.engine; });
    if (!other.finding) note(contradiction_note(compared, theirs));
    return json_text(json);
  }
  const PasteDoubts doubts = doubts_about(line, compared, theirs);
  for (const std::string& text : doubts.notes) note(text);
  json["incomplete"] = !doubts.lost.empty();
  const Comparison certain = without_doubts(compared, theirs, doubts);
  json["next"] = next_of(line, depth, certain);
  if (auto observation = observe(line, depth, certain)) {
    observation->right_as_fen = right_as_fen;
    std::vector<Finding> findings = diagnose(line, *observation);
    const bool lists_other_moves =
        !compared.invented.empty() ||
        std::ranges::any_of(compared.rows, [](const auto& row) { return !row.engine; });
    if (right_as_fen == true && lists_other_moves) blame_move(line, compared, findings);
    for (const Finding& finding : findings) json["causes"].push_back(cause_of(finding));
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
