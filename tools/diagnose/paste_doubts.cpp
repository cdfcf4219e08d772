#include "tools/diagnose/paste_doubts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/quote.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/text/printed_line.h"

namespace manyply {
namespace {

using Row = Comparison::Row;

/// Returns the number at the beginning of a line.
std::optional<NodeCount> number_of_line(const std::string& line) {
  for (const Token& token : tokens_of(line)) {
    if (token.is(Token::Kind::kNumber)) return token.number;
    if (!token.is(Token::Kind::kMark)) break;
  }
  return std::nullopt;
}

/// Returns whether the rows are numbered and the total is the next number, which is then the rest
/// of a row that was cut.
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

/// Returns the first moves: "e1g1, e1c1 and 3 more".
std::string some_of(const std::vector<std::string>& moves) {
  constexpr std::size_t kMost = 8;
  if (moves.size() <= kMost) return fmt::format("{}", fmt::join(moves, ", "));
  return fmt::format("{} and {} more", fmt::join(moves.begin(), moves.begin() + kMost, ", "),
                     moves.size() - kMost);
}

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
          "The paste lacks {}, with 0 paths. Many programs leave out rows of 0.", some_of(lost)));
      return;
    }
    doubts_.notes.push_back(
        fmt::format("The paste has {} of {} moves and no total that shows whether it is complete. "
                    "Lines may have "
                    "been lost while copying.",
                    compared_.rows.size() - lost.size(), compared_.rows.size()));
    const std::vector<Finding> findings = diagnose(line_, missing);
    const std::string rule =
        findings.size() == 1 ? fmt::format(" ({})", rule_of(findings[0].cause)) : "";
    doubts_.notes.push_back(
        fmt::format("If that is all your program printed, it misses {}{}.", some_of(lost), rule));
  }

  void look_for_doubled_rows() {
    if (compared_.repeated.empty()) return;
    doubts_.notes.push_back(fmt::format(
        "The paste lists {} more than once. If your program printed that, it generates {} more "
        "than "
        "once.",
        some_of(compared_.repeated), compared_.repeated.size() == 1 ? "the move" : "these moves"));
  }

  static bool is_beginning(const Row& row) {
    if (!row.engine) return false;
    const std::string ours = row.ours.to_string();
    const std::string theirs = row.engine->to_string();
    return theirs.size() < ours.size() && ours.starts_with(theirs);
  }

  /// Returns whether the last number may be joined with another one.
  static bool goes_on_behind(const Row& row) {
    return row.engine && row.engine->to_string().starts_with(row.ours.to_string());
  }

  /// Looks for a cut at the last number, where the paste ends, or at all numbers, where a column
  /// ends.
  void look_for_cut_numbers() {
    std::vector<Row> wrong;
    std::ranges::copy_if(compared_.rows, std::back_inserter(wrong),
                         [](const Row& row) { return row.engine && *row.engine != row.ours; });
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
        "The count of {} begins like ours: it may have been cut, or joined with another "
        "number.",
        some_of(moves)));
  }

  /// Looks for a first or last line that is shorter than its neighbour.
  void look_for_torn_lines() {
    const std::vector<EngineRow>& rows = theirs_.rows;
    // A move and a number among many other words are no divide.
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
      return legal.engine && *legal.engine != legal.ours && text(legal.move) == row.move;
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

}  // namespace

PasteDoubts doubts_about(const Line& line, const Comparison& compared, const EngineAnswer& theirs) {
  return Doubts(line, compared, theirs).run();
}

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

}  // namespace manyply
