// What engines print when asked for a perft with its divide, in any of the ways they do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/node_count.h"
#include "tools/bisect/mentioned_moves.h"
#include "tools/bisect/printed_line.h"

namespace manyply {

/// A root move and the paths behind it. Legal moves are written as to_uci() writes them in the
/// notation of the position asked about; others as the engine means them, small: "e1g1", "a7a8".
struct EngineRow {
  std::string move;
  NodeCount nodes;
};

/// A line that may be a row, or the total, and was not understood.
struct UnreadLine {
  std::string text;  ///< as printed
  std::string why;   ///< "-20 is negative: …"; empty if there is nothing to say
};

/// `'e1g1 castles: 20'`, `'e2e4: 0x14': 0x14 is no decimal number`: fit for one line of a terminal.
[[nodiscard]] std::string to_string(const UnreadLine& line);

struct EngineAnswer {
  /// A number that may be the total, and the line in which it stands.
  struct OtherTotal {
    NodeCount nodes;
    std::string line;
  };

  std::vector<EngineRow> rows{};  ///< as printed, a move may stand there twice
  std::optional<NodeCount> total{};
  bool total_is_certain = false;  ///< it is called so, or stands there alone
  /// What else the rows' counts may be: other columns. Where the rows add up to a total that is
  /// certain, only those that do so, too.
  std::vector<std::vector<NodeCount>> other_columns{};
  /// What else the total may be, where no rows tell.
  std::vector<OtherTotal> other_totals{};
  /// Not empty: the answer is not understood, and nothing may be concluded from it.
  std::vector<UnreadLine> unread{};
  /// Lines with numbers that were not understood, beside a total without any rows: it may be
  /// right or wrong, but which moves stand behind it was not read.
  std::vector<UnreadLine> passed_over{};

  /// The rows' sum; nothing if it does not fit 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
  /// Whether a total stands there that is not the rows'.
  [[nodiscard]] bool contradicts_itself() const;
  /// Whether `nodes` are what is counted there, in one of the ways in which it can be read.
  [[nodiscard]] bool may_count(NodeCount nodes) const;
};

/// Understands lines that are
/// * *rows*: words with a move among them (mentioned_moves.h says which) and its count behind it,
///   before it, or beside a word such as `nodes`: `e2e4: 20`, `1. e2-e4 = 20 nodes`, `20 e2e4`,
///   `move=e2e4 nodes=20`; several of them on a line;
/// * *headings*, words alone that name a column of moves and one of counts: `| Move | Captures |
///   Nodes |`, `move,nodes`. A heading binds the lines behind it that have as many fields between
///   the same separators, and a move, or a word for the total, in the field for moves: there the
///   number under its word for counts is the likeliest one. All other lines are read as if it did
///   not stand there;
/// * *totals*: `Nodes searched: 400`, `perft(2) = 400`, or a number alone.
///
/// A *column* is what stands at one place beside the move in every row. There may be several; which
/// of them are the counts a total tells, or whoever knows what they have to be.
///
/// A line that was not understood *matters* if it has something of a move and of a count, or if the
/// rows do not add up to the total, or if moves are missing and no total says that all rows are
/// there: one before them all or behind them all; among them it is a sum so far. `info …` but `info
/// string …`, `bestmove …`, FENs and other lines of UCI are never rows.
///
/// A value; one thread. Keeps a bounded number of lines.
class EngineOutputParser {
 public:
  /// `asked` is the position that the output is about.
  explicit EngineOutputParser(NamedPosition asked);

  /// Any text without line ends. False if the line says nothing about a divide.
  bool feed(std::string_view line);

  [[nodiscard]] bool has_rows() const { return !rows_.empty(); }
  /// A total that is more than a number of nodes in a search's `info`.
  [[nodiscard]] bool has_total() const { return has_total_; }
  /// Whether the rows so far add up to a total so far.
  [[nodiscard]] bool is_complete() const { return complete_; }

  /// What all the lines so far say.
  [[nodiscard]] EngineAnswer answer() const;

 private:
  /// A number of a row that may be its count, told by where it stands.
  struct Count {
    int place;
    std::optional<NodeCount> number;
    std::string why_not;   ///< if it is none
    bool pointed = false;  ///< it is written with a decimal point
  };
  struct Row {
    std::string line;
    MoveMeaning meaning;
    std::vector<Count> counts;  ///< the likeliest first; not empty
    bool is_info = false;
    std::size_t at = 0;  ///< number of the line
  };
  struct Total {
    NodeCount nodes;
    bool sure;
    std::string line;
    std::size_t first;  ///< number of the line where it stands for the first time
    std::size_t last;
    bool alone;                        ///< no other number of the line may be it
    std::optional<NodeCount> depth{};  ///< if it is told: "perft(3) = 8902"
  };
  /// A line without a row.
  struct Other {
    std::string line;
    std::string why;
    std::vector<std::string> moves{};   ///< that are mentioned
    std::optional<NodeCount> number{};  ///< if there is one alone
    bool has_move = false;
    bool has_number = false;
    bool is_info = false;
    bool matters = false;  ///< whatever else has been read
    std::size_t at = 0;    ///< number of the line
  };
  /// What a table's heading, `| Move | Captures | Nodes |`, says of its rows.
  struct Heading {
    char separator;
    std::size_t fields;
    std::size_t move;   ///< the field of the moves
    std::size_t count;  ///< and of their counts
  };
  class Reading;

  [[nodiscard]] static std::optional<Heading> heading_of(std::string_view line);
  [[nodiscard]] const Token* in_count_column(std::string_view line,
                                             const std::vector<Token>& tokens) const;
  bool feed_rows(const std::string& line, const std::vector<Token>& tokens, const Token* in_column,
                 Other& other);
  bool feed_total(const std::vector<Token>& tokens, const Token* in_column, bool is_search,
                  Other& other);
  [[nodiscard]] static std::vector<Total> readings_of(const Total& total,
                                                      const std::vector<Token>& tokens,
                                                      std::size_t place);
  void keep_totals(const std::vector<Total>& totals);

  NamedPosition asked_;
  std::optional<Heading> heading_;  ///< the last one
  std::vector<Row> rows_;
  std::vector<Total> totals_;
  std::vector<Other> others_;
  bool has_total_ = false;
  bool complete_ = false;
  std::size_t lines_ = 0;
  int readings_ = 0;
};

}  // namespace manyply
