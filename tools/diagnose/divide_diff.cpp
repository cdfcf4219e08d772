#include "tools/diagnose/divide_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "tools/diagnose/misplay.h"
#include "tools/text/json_text.h"
#include "tools/text/line_tokens.h"

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
  for (const EngineRow& row : theirs.rows) {  // illegal moves
    if (!rows.contains(row.move)) add(row.move, std::nullopt, row.nodes, false);
  }
  for (const std::string& move : compared.repeated) {
    if (const auto row = rows.find(move); row != rows.end()) row->second["same"] = false;
  }
  Json sorted = Json::array();
  for (auto& [move, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

/// Returns the position to examine next: the position after a wrongly counted move. Ignores moves
/// whose right count is 0. If several moves remain, chooses the one with the smallest right count.
/// Returns null at depth 1, or if no move remains.
Json next_of(const Line& line, Depth depth, const Comparison& compared) {
  const std::vector<Comparison::Row> wrong = compared.wrong_below();
  if (depth.plies() == 1 || wrong.empty()) return nullptr;
  const Line next = line.after(wrong.front().move);
  return {
      {"move", next.uci_moves().back()}, {"fen", next.fen_here()}, {"depth", depth.plies() - 1}};
}

/// Returns a note about each promotion that has a wrong count and is listed without its piece. The
/// note lists the promotions to which the count may belong.
std::vector<std::string> pieces_notes(const Line& line, const Comparison& compared) {
  std::vector<std::string> notes;
  for (const Comparison::Row& row : compared.rows) {
    if (row.could_be.empty() || !row.engine) continue;
    std::vector<std::string> moves;
    for (const Move move : row.could_be) moves.push_back(to_uci(move, line.notation()));
    notes.push_back(fmt::format(
        "{} is listed four times without its piece; the row with the count {} could be {}",
        moves.front().substr(0, 4), row.engine->to_string(), fmt::join(moves, " or ")));
  }
  return notes;
}

/// Returns whether most counts are 0 although our counts are not 0. Such numbers may be numbers of
/// captures or checks, which many programs print beside the counts.
bool is_mostly_nothing(const Comparison& compared) {
  const auto is_nothing = [](const Comparison::Row& row) {
    return row.engine == NodeCount(0) && row.ours != NodeCount(0);
  };
  return 2 * std::ranges::count_if(compared.rows, is_nothing) > std::ssize(compared.rows);
}

/// Returns a note that says whether the rows or the total are wrong. Precondition: the rows and the
/// total contradict each other.
std::string contradiction_note(const Comparison& compared, const EngineAnswer& theirs) {
  NodeCount ours;
  for (const Comparison::Row& row : compared.rows) ours += row.ours;
  if (compared.agrees()) return "The rows are right, and the total is not.";
  if (theirs.total == ours) return "The total is right; only the rows differ from ours.";
  return "Both the rows and the total differ from ours.";
}

/// Looks for a move of `line` that the program played wrong. If such a misplay explains the moves
/// that the program lists, it replaces all findings. Does nothing if every finding already names a
/// wrong part of the program's state, such as a castling right (see names_state()). Precondition:
/// the program is right if it gets the FEN of the end of `line` without earlier moves.
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

using Row = Comparison::Row;

/// Returns the number at the beginning of a line; nullopt if there is none.
std::optional<NodeCount> number_of_line(const std::string& line) {
  for (const Token& token : tokens_of(line)) {
    if (token.is(Token::Kind::kNumber)) return token.number;
    if (!token.is(Token::Kind::kMark)) break;
  }
  return std::nullopt;
}

/// Returns whether the rows are numbered and the "total" is the next row number. Such a "total" is
/// the beginning of a row that was cut.
bool ends_with_number_of_row(const EngineAnswer& theirs) {
  if (theirs.rows.size() < 2) return false;
  const auto last = number_of_line(theirs.rows.back().line);
  const auto before = number_of_line(theirs.rows[theirs.rows.size() - 2].line);
  return last && before && *before + NodeCount(1) == *last && theirs.total == *last + NodeCount(1);
}

bool are_all_there(const EngineAnswer& theirs) {
  return theirs.total && theirs.total_is_certain && theirs.total == theirs.sum() &&
         !ends_with_number_of_row(theirs);
}

/// Returns the first eight moves, and the number of the others: "e1g1, e1c1 and 3 more".
std::string some_of(const std::vector<std::string>& moves) {
  constexpr std::size_t kMost = 8;
  if (moves.size() <= kMost) return fmt::format("{}", fmt::join(moves, ", "));
  return fmt::format("{} and {} more", fmt::join(moves.begin(), moves.begin() + kMost, ", "),
                     moves.size() - kMost);
}

/// Rows that may have been lost, doubled or cut when the text was copied. Such rows show no fault
/// of the program.
struct PasteDoubts {
  std::vector<Move> lost{};  ///< missing moves that the program may have printed
  /// Legal moves whose wrong counts may have been cut, or joined with another number.
  std::vector<Move> cut{};
  std::vector<std::string> torn{};   ///< illegal moves of lines that may have been cut
  std::vector<std::string> notes{};  ///< descriptions of all doubts
};

/// Finds the doubts about a paste. If the rows add up to a total, only one doubt is possible: moves
/// with the count 0 may be missing, because many programs do not print them. Precondition: `theirs`
/// is a result of settled() and does not contradict itself.
class Doubts {
 public:
  Doubts(const Line& line, const Comparison& compared, const EngineAnswer& theirs)
      : line_(line), compared_(compared), theirs_(theirs), complete_(are_all_there(theirs)) {}

  PasteDoubts run() {
    if (compared_.lists_nothing) return {};
    look_for_lost_rows();
    if (!complete_) {
      look_for_doubled_rows();
      look_for_cut_numbers();
      look_for_torn_lines();
    }
    return std::move(doubts_);
  }

 private:
  [[nodiscard]] std::string text(Move move) const { return to_uci(move, line_.notation()); }

  /// Returns whether the paste lists the promotion without its piece.
  [[nodiscard]] bool is_listed_without_piece(Move move) const {
    return move.is_promotion() &&
           std::ranges::count(compared_.invented, text(move).substr(0, 4)) != 0;
  }

  void look_for_lost_rows() {
    Observation missing;
    std::vector<std::string> lost;
    bool any_count = false;
    for (const Row& row : compared_.rows) {
      if (row.engine || is_listed_without_piece(row.move)) continue;
      lost.push_back(text(row.move));
      missing.missed.push_back(row.move);
      any_count = any_count || row.ours != NodeCount(0);
    }
    if (lost.empty() || (complete_ && any_count)) return;
    doubts_.lost = missing.missed;
    if (!any_count) {
      doubts_.notes.push_back(fmt::format(
          "The paste lacks {}. The right count is 0, and many programs leave out such rows.",
          some_of(lost)));
      return;
    }
    doubts_.notes.push_back(
        fmt::format("The paste has {} of {} moves and no total that shows whether it is complete. "
                    "Lines may have been lost while copying.",
                    compared_.rows.size() - lost.size(), compared_.rows.size()));
    const std::vector<Finding> findings = diagnose(line_, missing);
    const std::string rule =
        findings.size() == 1 ? fmt::format(" ({})", rule_of(findings[0].cause)) : "";
    doubts_.notes.push_back(
        fmt::format("If your program printed nothing else, it misses {}{}.", some_of(lost), rule));
  }

  void look_for_doubled_rows() {
    if (compared_.repeated.empty()) return;
    doubts_.notes.push_back(fmt::format(
        "The paste lists {} more than once. If your program printed that, it generates {} more "
        "than once.",
        some_of(compared_.repeated), compared_.repeated.size() == 1 ? "the move" : "these moves"));
  }

  static bool is_beginning(const Row& row) {
    if (!row.engine) return false;
    const std::string ours = row.ours.to_string();
    const std::string theirs = row.engine->to_string();
    return theirs.size() < ours.size() && ours.starts_with(theirs);
  }

  /// Returns whether the engine's count begins with the digits of our count. In that case another
  /// number may have been joined to the count.
  static bool goes_on_behind(const Row& row) {
    return row.engine && row.engine->to_string().starts_with(row.ours.to_string());
  }

  /// Looks for wrong counts that may have been cut, or joined with another number. Usually suspects
  /// only the last count of the paste. Suspects all wrong counts if at least two are wrong and each
  /// of them has only the first digits of our count. Also suspects all wrong counts if the "total"
  /// is a row number (see ends_with_number_of_row()).
  void look_for_cut_numbers() {
    std::vector<Row> wrong;
    std::ranges::copy_if(compared_.rows, std::back_inserter(wrong),
                         [](const Row& row) { return row.engine && !row.agrees(); });
    const bool are_numbers_of_rows = ends_with_number_of_row(theirs_);
    const bool all_cut = wrong.size() > 1 && std::ranges::all_of(wrong, is_beginning);
    if (!are_numbers_of_rows && !all_cut) {
      std::erase_if(wrong, [&](const Row& row) {
        return text(row.move) != theirs_.rows.back().move ||
               !(is_beginning(row) || goes_on_behind(row));
      });
    }
    if (wrong.empty()) return;
    std::vector<std::string> moves;
    for (const Row& row : wrong) {
      doubts_.cut.push_back(row.move);
      moves.push_back(text(row.move));
    }
    doubts_.notes.push_back(fmt::format(
        "The count of {} begins like ours: it may have been cut, or joined with another number.",
        some_of(moves)));
  }

  /// Looks for a first or last line that may have been cut: it has fewer words than its neighbour,
  /// or ends with a promotion that lacks its piece. Also examines a single row with very many
  /// words.
  void look_for_torn_lines() {
    const std::vector<EngineRow>& rows = theirs_.rows;
    // A line with a move, a number and many other words is not a row of a divide.
    constexpr std::size_t kLong = 8;
    if (rows.size() == 1 && tokens_of(rows[0].line).size() > kLong) note_torn(rows[0]);
    if (rows.size() < 2) return;
    look_at_end(rows.front(), rows[1]);
    look_at_end(rows.back(), rows[rows.size() - 2]);
  }
  void look_at_end(const EngineRow& row, const EngineRow& neighbour) {
    const auto words = [](const EngineRow& of) { return tokens_of(of.line).size(); };
    const bool without_piece = std::ranges::any_of(compared_.rows, [&](const Row& legal) {
      return legal.move.is_promotion() && text(legal.move).starts_with(row.move);
    });
    const bool torn =
        words(row) < words(neighbour) || (without_piece && row.line.ends_with(row.move));
    if (torn) note_torn(row);
  }
  void note_torn(const EngineRow& row) {
    const bool invented = std::ranges::count(compared_.invented, row.move) != 0;
    const auto wrong = std::ranges::find_if(compared_.rows, [&](const Row& legal) {
      return legal.engine && !legal.agrees() && text(legal.move) == row.move;
    });
    if (!invented && wrong == compared_.rows.end()) return;
    if (invented) {
      doubts_.torn.push_back(row.move);
    } else {
      doubts_.cut.push_back(wrong->move);
    }
    doubts_.notes.push_back(
        fmt::format("The line of {} may have been cut: {}.", row.move, quote(row.line)));
  }

  const Line& line_;
  const Comparison& compared_;
  const EngineAnswer& theirs_;
  bool complete_;
  PasteDoubts doubts_;
};

/// Returns `compared` without the doubtful rows. If no total proves that the rows are complete, two
/// more kinds of rows are doubtful: moves that are listed more than once, and promotions that are
/// listed two or three times without their piece.
Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                          const PasteDoubts& doubts) {
  if (!are_all_there(theirs)) {
    compared.repeated.clear();
    compared.few.clear();
  }
  std::erase_if(compared.invented, [&](const std::string& move) {
    return std::ranges::count(doubts.torn, move) != 0;
  });
  std::erase_if(compared.rows, [&](const Row& row) {
    return std::ranges::count(doubts.lost, row.move) != 0 ||
           std::ranges::count(doubts.cut, row.move) != 0;
  });
  return compared;
}

}  // namespace

Json finding_json(const Finding& finding) {
  return {{"name", name_of(finding.cause)},
          {"rule", rule_of(finding.cause)},
          {"detail", finding.detail},
          {"moves", finding.moves}};
}

Json disputed_document(const std::vector<PastedDivide>& pasted) {
  Json all = Json::array();
  for (const auto& [depth, move, counts] : disputed_moves(pasted)) {
    Json row{{"depth", depth.plies()}, {"move", move}, {"counts", Json::array()}};
    for (const auto& count : counts) row["counts"].push_back(count_or_null(count));
    all.push_back(std::move(row));
  }
  return all;
}

Json diff_document(const Line& line, Depth depth, const std::vector<DivideEntry>& ours,
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
    json["causes"].push_back(finding_json(*other.finding));
    return json;
  }
  for (const UnreadLine& line_of_several : theirs.unread)
    note("not understood: " + to_string(line_of_several));
  if (!theirs.unread.empty()) return json;
  if (is_mostly_nothing(compared)) {
    note("Most counts of the paste are 0: they may not be numbers of paths.");
    return json;
  }
  if (const auto elsewhere = looks_like_another_position(line, compared, theirs)) {
    json["causes"].push_back(finding_json(*elsewhere));
    return json;
  }
  if (theirs.contradicts_itself()) {
    json["incomplete"] =
        std::ranges::any_of(compared.rows, [](const Comparison::Row& row) { return !row.engine; });
    if (!other.finding) note(contradiction_note(compared, theirs));
    return json;
  }
  const PasteDoubts doubts = Doubts(line, compared, theirs).run();
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
    for (const Finding& finding : findings) json["causes"].push_back(finding_json(finding));
  }
  return json;
}

std::string diff_of_paste(const Line& line, Depth depth, const std::vector<DivideEntry>& ours,
                          const std::vector<PastedDivide>& pasted, std::optional<bool> right_as_fen,
                          const OurDivide& divide) {
  if (pasted.size() == 1)
    return json_text(diff_document(line, depth, ours, pasted.front().answer, right_as_fen, divide));
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
  Json json =
      diff_document(line, told.depth, rows ? *rows : ours, told.answer, right_as_fen, divide);
  if (depths.size() > 1) {
    json["depth"] = told.depth.plies();
    json["depths"] = std::move(depths);
  }
  if (!has_rivals(pasted)) return json_text(json);
  json["reading"] = told.name;
  json["readings"] = std::move(readings);
  json["disputed"] = disputed_document(pasted);
  Json notes = rivals_told(pasted);
  for (Json& note : json["notes"]) notes.push_back(std::move(note));
  json["notes"] = std::move(notes);
  return json_text(json);
}

}  // namespace manyply
