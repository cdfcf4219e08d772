// A divide as an engine printed it: the rows and totals that were understood, and the lines that
// were not understood.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node_count.h"

namespace manyply {

/// A root move and its number of paths. A legal move is in the notation of to_uci() for the
/// position. An illegal move is two squares and perhaps a promotion piece: "e1g1", "a7a8".
struct EngineRow {
  std::string move;
  NodeCount nodes;
  std::string line{};  ///< the line as it was printed

  /// Ignores the printed lines.
  friend bool operator==(const EngineRow& a, const EngineRow& b) {
    return a.move == b.move && a.nodes == b.nodes;
  }
};

/// A line that may be a row or the total but was not understood.
struct UnreadLine {
  std::string text;  ///< the line as it was printed
  std::string why;   ///< "-20 is negative: …"; empty if unknown
};

/// Returns the line and the reason as one line of text: `'e1g1 castles: 20'`, `'e2e4: 0x14', 0x14
/// is not a decimal number`.
[[nodiscard]] std::string to_string(const UnreadLine& line);

struct EngineAnswer {
  /// A number that may be the total, and its line.
  struct OtherTotal {
    NodeCount nodes;
    std::string line;
  };
  /// Numbers in another column of the table, for all or most of the moves in the answer's `rows`.
  struct OtherColumn {
    std::string name;  ///< "column 'stockfish'", "second column"
    std::vector<EngineRow> rows;
    bool fits_total = false;          ///< the rows add up to a total
    std::optional<int> depth_told{};  ///< the depth in the column's head
    std::size_t offset = 0;           ///< offset of the column's first number in its line
  };

  std::vector<EngineRow> rows{};  ///< rows as printed; a move may be listed twice
  std::optional<NodeCount> total{};
  bool total_is_certain = false;  ///< the line calls the number a total, or contains nothing else
  /// False if the answer may be cut off: it has no certain total, and nothing else proves that it
  /// is complete.
  bool ended = true;
  std::string column{};             ///< name of the column that gave `rows`, if there are others
  std::optional<int> depth_told{};  ///< the depth in the head of the column that gave `rows`
  std::size_t offset = 0;           ///< offset of the first number of `rows` in its line
  /// The other columns that may contain the counts. Their numbers differ from the numbers in
  /// `rows`.
  std::vector<OtherColumn> other_columns{};
  /// Whether a column was left out only because its numbers do not look like counts, as 1, 2, 3
  /// look like row numbers. These numbers may still be the counts.
  bool has_other_numbers = false;
  std::size_t first_line = 0;  ///< line number of the first row in `lines`, from 1; 0 if no rows
  std::size_t last_line = 0;   ///< line number of the last row
  /// Other numbers that may be the total. Empty if the rows show which number is the total.
  std::vector<OtherTotal> other_totals{};
  /// If not empty, the answer was not understood and allows no conclusion.
  std::vector<UnreadLine> unread{};
  /// Lines with numbers that were not understood. Empty if the answer has rows. If the answer has
  /// no rows, only its total can be compared.
  std::vector<UnreadLine> passed_over{};
  /// Lines that are not about a divide, such as "usage: …". Only the first few are stored.
  std::vector<UnreadLine> remarks{};
  /// The first 4,096 lines as printed. They may show that the answer is about another position.
  std::vector<std::string> lines{};

  /// Returns the sum of the rows; nullopt if it exceeds 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
  /// Returns whether the rows do not add up to the total. Returns false if there are no rows or no
  /// total.
  [[nodiscard]] bool contradicts_itself() const;
  /// Returns whether `nodes` is the total, the sum of the rows, or one of `other_totals`.
  [[nodiscard]] bool may_count(NodeCount nodes) const;
};

/// Returns the sum; nullopt if it exceeds 128 bits.
[[nodiscard]] std::optional<NodeCount> sum_of(const std::vector<NodeCount>& counts);

/// Returns whether the two numbers differ by less than a factor of 2 in at least half of the pairs.
/// Ignores pairs of zeros. Returns true if there are only such pairs; false if there are no pairs.
[[nodiscard]] bool are_alike(const std::vector<std::pair<NodeCount, NodeCount>>& counts);

/// Returns whether both lists may be counts of the same moves: whether the counts are alike for the
/// moves that are in both lists.
[[nodiscard]] bool are_alike(const std::vector<EngineRow>& one,
                             const std::vector<EngineRow>& other);

/// Returns `tables` without the tables that only repeat a few rows of another table.
[[nodiscard]] std::vector<EngineAnswer> without_remarks(std::vector<EngineAnswer> tables);

/// Adds each row with an ambiguous count to `answer.unread`, and empties `answer.other_columns`. A
/// count is ambiguous if a column in `answer.other_columns` has another number, or no number, for
/// the same move. If `answer.total_is_certain` and the rows add up to the total, ignores columns
/// that add up to no total.
void settle_columns(EngineAnswer& answer);

}  // namespace manyply
