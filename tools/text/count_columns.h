// Finds the columns of a printed table that may be its counts. A table that compares two programs
// has two columns of counts. Each of these columns gives one possible reading of the table.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/text/divide_rows.h"

namespace manyply {

/// A column of a table: the numbers at one place beside the moves.
struct CountColumn {
  /// The PrintedCount::place of the numbers. For a column in CountColumns::asides, the index of its
  /// numbers in PrintedRow::asides.
  int place = 0;
  std::string head{};      ///< the column's name; empty if it has none
  std::size_t offset = 0;  ///< offset of the column's first number in its line
  bool is_filled = false;  ///< missing numbers were taken from another column
  /// One number for each row; nullopt if the row has no number in this column.
  std::vector<std::optional<NodeCount>> numbers{};

  [[nodiscard]] bool is_complete() const;
  /// Returns the numbers of the rows that have a number in this column.
  [[nodiscard]] std::vector<NodeCount> counts() const;
};

/// The columns of a table. They are found only from the printed text; the counts that Manyply
/// computes are not used.
struct CountColumns {
  /// The columns that may be the counts, the likeliest first. A column is left out if its head or
  /// numbers show another meaning: times, depths, row numbers, running totals, percentages, or
  /// statistics such as captures.
  std::vector<CountColumn> all{};
  /// Columns of the numbers in PrintedRow::asides, which may be counts. A row without such a number
  /// gets its number from the likeliest column.
  std::vector<CountColumn> asides{};
  /// Rows with fewer numbers than the other rows. It is unclear to which columns the numbers of
  /// such rows belong.
  std::vector<const PrintedRow*> torn{};
  /// Whether a column was left out only because of its numbers.
  bool has_other_numbers = false;
};

/// Returns whether the numbers add up to a total that is `sure` and `alone`; see PrintedTotal.
using FitsTotal = std::function<bool(const std::vector<NodeCount>&)>;

/// Returns the columns of `rows`, which are the rows of a divide. `depth` is the depth of the
/// divide, if known. The places in `pointed` have numbers with a decimal point, which are not
/// counts. If only one column adds up to a total, this column is normally kept. Exceptions: its
/// head shows another meaning, or most of its numbers are 0, as in a column of captures.
[[nodiscard]] CountColumns columns_of(const std::vector<const PrintedRow*>& rows,
                                      const std::set<int>& pointed, std::optional<Depth> depth,
                                      const FitsTotal& fits_total);

/// Returns the number that is most likely the row's count. Prefers numbers without a decimal point
/// whose places are not in `pointed`.
[[nodiscard]] const PrintedCount& likeliest_count(const PrintedRow& row,
                                                  const std::set<int>& pointed);

/// Returns whether the head is neither a word for counts nor a word for other numbers. Such a head
/// may be the name of a program whose counts are below it, such as "stockfish".
[[nodiscard]] bool may_name_counts(std::string_view head);

/// Returns the depth in a head: "depth 3", "perft(3)"; nullopt if there is no depth.
[[nodiscard]] std::optional<int> depth_in_head(std::string_view head);

/// Returns whether both columns may be counts of the same moves: whether their numbers are alike
/// (engine_answer.h) in the rows in which both columns have a number.
[[nodiscard]] bool are_alike(const CountColumn& one, const CountColumn& other);

/// Returns whether the number in `part` is at most the number in `whole` in each row that has both
/// numbers. Returns false if there is no such row.
[[nodiscard]] bool is_part_of(const CountColumn& part, const CountColumn& whole);

/// Returns a name for the column that differs from the names of the other columns in `all`. If the
/// column has a head that no other column has, the name is the head: "column 'stockfish'".
/// Otherwise the name is the place: "second column". If a column in `all` has numbers only in some
/// rows, every name is a place: "second number".
[[nodiscard]] std::string name_among(const CountColumn& column,
                                     const std::vector<CountColumn>& all);

}  // namespace manyply
