// What engines print when asked for a perft with its divide, in any of the ways they do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/node_count.h"
#include "tools/bisect/move_meaning.h"
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
  std::vector<EngineRow> rows{};  ///< as printed, a move may stand there twice
  std::optional<NodeCount> total{};
  /// What else the rows' counts may be, where no total tells: other numbers of the same lines.
  std::vector<std::vector<NodeCount>> other_columns{};
  /// Not empty: the answer is not understood, and nothing may be concluded from it.
  std::vector<UnreadLine> unread{};

  /// The rows' sum; nothing if it does not fit 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
  /// Whether a total stands there that is not the rows'.
  [[nodiscard]] bool contradicts_itself() const;
};

/// Understands, line by line: a move, long (`e2e4`, `Ng1-f3`, `e7e8=Q`) or in SAN, castling in any
/// notation, and its count behind it, before it, or behind a word such as `nodes`: `e2e4: 20`,
/// `1. e2-e4 = 20 nodes`, `20 e2e4`, `"e2e4": 20,`, `move e2e4 nodes 20`; several of them on a
/// line. A heading that names moves and nodes tells the column of the counts. Totals as `Nodes
/// searched: 400`, `perft(2) = 400`, or a number alone.
///
/// A line that was not understood *matters* if it has something of a move and of a count, or if the
/// rows do not add up to the total, or if moves are missing and no total says that all rows are
/// there. `info …` but `info string …`, `bestmove …`, FENs and other lines of UCI are never rows.
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
  };
  struct Total {
    NodeCount nodes;
    bool sure;
  };
  /// A line without a row.
  struct Other {
    std::string line;
    std::string why;
    std::vector<std::string> moves{};  ///< that are mentioned
    bool has_move = false;
    bool has_number = false;
    bool is_info = false;
    bool matters = false;  ///< whatever else has been read
  };
  /// What a table's heading, `| Move | Captures | Nodes |`, says of its rows.
  struct Heading {
    char separator;
    std::size_t fields;
    std::size_t move;   ///< the field of the moves
    std::size_t count;  ///< and of their counts
  };
  struct Mention;
  class Reading;

  [[nodiscard]] static std::optional<Heading> heading_of(std::string_view line);
  [[nodiscard]] const Token* in_count_column(std::string_view line,
                                             const std::vector<Token>& tokens) const;
  bool feed_rows(const std::string& line, const std::vector<Token>& tokens, const Token* in_column,
                 Other& other);
  bool feed_total(const std::vector<Token>& tokens, const Token* in_column, bool is_search,
                  Other& other);
  [[nodiscard]] std::vector<Mention> mentions(const std::vector<Token>& tokens) const;

  NamedPosition asked_;
  std::optional<Heading> heading_;  ///< the last one
  std::vector<Row> rows_;
  std::vector<Total> totals_;
  std::vector<Other> others_;
  bool has_total_ = false;
  bool complete_ = false;
  int readings_ = 0;
};

}  // namespace manyply
