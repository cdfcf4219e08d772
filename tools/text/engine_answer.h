// What an engine has answered to a question for a divide, as far as it was understood.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node_count.h"

namespace manyply {

/// A root move and the paths behind it. Legal moves are written as to_uci() writes them in the
/// notation of the position asked about; others as the engine means them, small: "e1g1", "a7a8".
struct EngineRow {
  std::string move;
  NodeCount nodes;
  std::string line{};  ///< as printed

  /// Whatever else stands in the lines.
  friend bool operator==(const EngineRow& a, const EngineRow& b) {
    return a.move == b.move && a.nodes == b.nodes;
  }
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
  /// Other counts of the same rows, or of most of them.
  struct OtherColumn {
    std::string name;  ///< "column 'stockfish'", "second column"
    std::vector<EngineRow> rows;
    bool fits_total = false;          ///< they, too, add up to a total
    std::optional<int> depth_told{};  ///< by its head
    std::size_t offset = 0;           ///< of its first number in the line
  };

  std::vector<EngineRow> rows{};  ///< as printed, a move may stand there twice
  std::optional<NodeCount> total{};
  bool total_is_certain = false;    ///< it is called so, or stands there alone
  bool ended = true;                ///< false: nothing but silence says that the answer is complete
  std::string column{};             ///< the name of the rows' column, if there are others
  std::optional<int> depth_told{};  ///< by the head of that column
  std::size_t offset = 0;           ///< of its first number
  /// What else the rows' counts may be, as far as the text tells: columns that differ.
  std::vector<OtherColumn> other_columns{};
  /// Whether the rows have other numbers that neither a name nor a total tells from counts: only
  /// the numbers themselves do.
  bool has_other_numbers = false;
  std::size_t first_line = 0;  ///< number of the first row's line among `lines`, from 1
  std::size_t last_line = 0;   ///< and of the last row's
  /// What else the total may be, where no rows tell.
  std::vector<OtherTotal> other_totals{};
  /// Not empty: the answer is not understood, and nothing may be concluded from it.
  std::vector<UnreadLine> unread{};
  /// Lines with numbers that were not understood, beside a total without any rows: it may be
  /// right or wrong, but which moves stand behind it was not read.
  std::vector<UnreadLine> passed_over{};
  /// The first lines that say something, but nothing of a divide: "usage: …".
  std::vector<UnreadLine> remarks{};
  /// All lines, for whoever thinks that they are about another position.
  std::vector<std::string> lines{};

  /// The rows' sum; nothing if it does not fit 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
  /// Whether a total stands there that is not the rows'.
  [[nodiscard]] bool contradicts_itself() const;
  /// Whether `nodes` are what is counted there, in one of the ways in which it can be read.
  [[nodiscard]] bool may_count(NodeCount nodes) const;
};

/// Nothing if it does not fit 128 bits.
[[nodiscard]] std::optional<NodeCount> sum_of(const std::vector<NodeCount>& counts);

/// Whether they differ by less than a factor of 2: a wrong generator is near the right counts;
/// other numbers, and the counts of other depths, are not.
[[nodiscard]] bool are_near(NodeCount one, NodeCount other);

/// Returns whether at least half of the pairs are near. Two zeros say nothing; false if there are
/// no pairs.
[[nodiscard]] bool are_alike(const std::vector<std::pair<NodeCount, NodeCount>>& counts);

/// Whether both may count the same: the counts of the moves that both have are alike.
[[nodiscard]] bool are_alike(const std::vector<EngineRow>& one,
                             const std::vector<EngineRow>& other);

/// `tables` of one text without those that say nothing new: a few rows that another one has, too.
[[nodiscard]] std::vector<EngineAnswer> without_remarks(std::vector<EngineAnswer> tables);

/// Takes the other columns out of an engine's answer: its own total tells which is the count. Where
/// that does not tell, the rows in which they differ become unread.
void settle_columns(EngineAnswer& answer);

}  // namespace manyply
