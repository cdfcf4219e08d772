#include "tools/diagnose/divide_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/misplay.h"
#include "tools/diagnose/other_position.h"
#include "tools/diagnose/paste_doubts.h"
#include "tools/text/json_text.h"

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

/// Returns the move with the smallest subtree that differs, or null.
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

/// Returns notes about promotions without a piece and with a wrong count: which pieces they may be.
std::vector<std::string> pieces_notes(const Line& line, const Comparison& compared) {
  std::vector<std::string> notes;
  for (const Comparison::Row& row : compared.rows) {
    if (row.could_be.empty() || !row.engine) continue;
    std::vector<std::string> moves;
    for (const Move move : row.could_be) moves.push_back(to_uci(move, line.notation()));
    notes.push_back(
        fmt::format("{} is listed four times without its piece; the one with {} "
                    "could be {}",
                    moves.front().substr(0, 4), row.engine->to_string(), fmt::join(moves, " or ")));
  }
  return notes;
}

/// Returns whether most counts are 0 although ours are not. They may be captures or checks, which
/// many programs print beside the counts.
bool is_mostly_nothing(const Comparison& compared) {
  const auto is_nothing = [](const Comparison::Row& row) {
    return row.engine == NodeCount(0) && row.ours != NodeCount(0);
  };
  return 2 * std::ranges::count_if(compared.rows, is_nothing) > std::ssize(compared.rows);
}

/// Returns which of them is wrong if the rows do not add up to the total.
std::string contradiction_note(const Comparison& compared, const EngineAnswer& theirs) {
  NodeCount ours;
  for (const Comparison::Row& row : compared.rows) ours += row.ours;
  if (compared.agrees()) return "The rows are right, and the total is not.";
  if (theirs.total == ours) return "The total is right; it does not count the rows that differ.";
  return "Neither the rows nor the total are ours.";
}

/// Blames one of the moves that led to this position, since the program is right for the position
/// as a FEN. If one move explains the moves that the program lists, it becomes the only cause.
void blame_move(const Line& line, const Comparison& compared, std::vector<Finding>& findings) {
  if (std::ranges::all_of(findings, names_state, &Finding::cause)) return;
  const std::set<std::string> listed = listed_texts(line, compared);
  const std::vector<std::string> moves = line.uci_moves();
  for (std::size_t ply = 0; ply < moves.size(); ++ply) {
    if (auto misplay = misplay_that_lists(line, ply, listed)) {
      findings = {{misplay->cause, std::move(misplay->detail), {moves[ply]}}};
      return;
    }
  }
}

Json disputed_json(const std::vector<PastedDivide>& pasted) {
  Json all = Json::array();
  for (const auto& [depth, move, counts] : disputed_moves(pasted)) {
    Json row{{"depth", depth.plies()}, {"move", move}, {"counts", Json::array()}};
    for (const auto& count : counts) row["counts"].push_back(count_or_null(count));
    all.push_back(std::move(row));
  }
  return all;
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
    note("Most of its counts are 0: these may be another number than the number of paths.");
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
  Json depths = Json::array();
  Json readings = Json::array();
  const PastedDivide* wrong = nullptr;
  for (const PastedDivide& one : pasted) {
    const auto rows = one.depth == depth ? Result(ours) : divide(line, one.depth);
    const bool agrees = rows && compare(line, *rows, one.answer).agrees();
    if (wrong == nullptr && (!agrees || one.answer.contradicts_itself())) wrong = &one;
    readings.push_back({{"name", one.name}, {"depth", one.depth.plies()}, {"agrees", agrees}});
    if (depths.empty() || depths.back()["depth"] != one.depth.plies()) {
      depths.push_back({{"depth", one.depth.plies()}, {"agrees", agrees}});
    } else if (!agrees) {
      depths.back()["agrees"] = false;
    }
  }
  const PastedDivide& told = wrong != nullptr ? *wrong : pasted.back();
  const auto rows = told.depth == depth ? Result(ours) : divide(line, told.depth);
  Json json = read_json(
      diff_document(line, told.depth, rows ? *rows : ours, told.answer, right_as_fen, divide));
  if (depths.size() > 1) {
    json["depth"] = told.depth.plies();
    json["depths"] = std::move(depths);
  }
  if (!has_rivals(pasted)) return json_text(json);
  json["reading"] = told.name;
  json["readings"] = std::move(readings);
  json["disputed"] = disputed_json(pasted);
  Json notes = rivals_told(pasted);
  for (Json& note : json["notes"]) notes.push_back(std::move(note));
  json["notes"] = std::move(notes);
  return json_text(json);
}

std::string disputed_document(const std::vector<PastedDivide>& pasted) {
  return json_text(disputed_json(pasted));
}

}  // namespace manyply
