// What engines print when asked for a perft with its divide, in any of the ways they do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/divide_reading.h"

namespace manyply {

/// Understands lines that are
/// * *rows*: words with a move among them (mentioned_moves.h says which) and its count behind it,
///   before it, or beside a word such as `nodes`: `e2e4: 20`, `1. e2-e4 = 20 nodes`, `20 e2e4`,
///   `move=e2e4 nodes=20`; several of them on a line;
/// * *headings*, words alone that name a column of moves and one of counts: `| Move | Captures |
///   Nodes |`, `move,nodes`; or any names, `move,mine,stockfish`, directly above a row. A heading
///   binds the lines behind it that have as many fields between the same separators, and a move, or
///   a word for the total, in the field for moves: there the number under its only word for counts
///   is the likeliest one. All other lines are read as if it did not stand there;
/// * *totals*: `Nodes searched: 400`, `perft(2) = 400`, or a number alone; a table of them by
/// depth;
/// * at depth 1, *lists*: moves alone.
///
/// Where each depth up to the one that was asked has a table, the answer is the last one.
///
/// A *column* is what stands at one place beside the move in the rows (count_columns.h). There may
/// be several; heads, a total and the columns themselves tell which are counts, never what the
/// right counts are.
///
/// A line that was not understood *matters* if it has something of a move and of a count, or if the
/// rows do not add up to the total, or if moves are missing and no total says that all rows are
/// there: one before them all or behind them all; among them it is a sum so far. `info …` is a row
/// only as `info string …` and `info currmove e2e4 perft 20`; `bestmove …`, FENs and other lines of
/// UCI are never rows.
///
/// A value; one thread. Keeps a bounded number of lines.
class EngineOutputParser {
 public:
  /// `asked` is the position that the output is about, and `depth` how deep it was asked for.
  explicit EngineOutputParser(NamedPosition asked, std::optional<Depth> depth = {});

  /// Any text without line ends, though several of the program's lines may stand on it. False if
  /// it says nothing about a divide.
  bool feed(std::string_view line);

  [[nodiscard]] bool has_rows() const { return rows() > 0; }
  [[nodiscard]] std::size_t rows() const { return printed_.rows.size(); }
  /// A total that is more than a number of nodes in a search's `info`.
  [[nodiscard]] bool has_total() const { return has_total_; }
  /// Whether the rows of the last table so far add up to a total so far.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// Tables so far; of totals alone, totals.
  [[nodiscard]] std::size_t tables() const;

  /// What all the lines so far say of the depth that was asked: the last table, or the deepest
  /// where that has no total. It has no other columns: its own total has told which is the count,
  /// or its rows are unread.
  [[nodiscard]] EngineAnswer answer() const;
  /// What each table says, with all columns that may be its counts; one where there is none.
  [[nodiscard]] std::vector<EngineAnswer> answers() const;

 private:
  bool feed_line(std::string_view line);
  /// The heading that binds the line, or null.
  const Heading* heading_of(std::string_view line, const std::vector<Token>& tokens);
  bool feed_rows(const RowLine& line, OtherLine& other);
  bool feed_total(const std::vector<Token>& tokens, const Token* in_column, bool is_search,
                  OtherLine& other);
  void keep_totals(const std::vector<PrintedTotal>& totals);

  PrintedLines printed_;
  std::optional<Heading> heading_;        ///< the last one
  std::optional<Heading> maybe_heading_;  ///< the line before, if it is words
  std::vector<std::string> lines_;
  std::vector<UnreadLine> remarks_;
  bool has_total_ = false;
  bool complete_ = false;
  std::size_t texts_ = 0;        ///< that were fed
  std::size_t fed_ = 0;          ///< lines of them
  std::size_t table_begin_ = 0;  ///< number of the line where the present table begins
  int readings_ = 0;
};

}  // namespace manyply
