// Finds the columns of a printed table that may be its counts. A table that compares two programs
// has two columns of counts; each of them is one reading of the table.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/text/printed_row.h"

namespace manyply {

/// The numbers at one place beside the move.
struct CountColumn {
  int place = 0;           ///< a constant of place::, or its index among the asides
  std::string head{};      ///< its name; empty if it has none
  std::size_t offset = 0;  ///< of its first number in the line
  bool is_filled = false;  ///< rows without a number here have the number of another column
  std::vector<std::optional<NodeCount>> numbers{};  ///< by row; nullopt if the row has no number

  [[nodiscard]] bool is_complete() const;
  /// Returns the numbers of the rows that have one.
  [[nodiscard]] std::vector<NodeCount> counts() const;
};

/// The columns of a table. The right counts are unknown here, so they exclude no column.
struct CountColumns {
  /// The columns that may be the counts, the likeliest first. Left out are columns whose head or
  /// numbers show that they are something else: a time, a depth, a row number, a running total, or
  /// a part of another column.
  std::vector<CountColumn> all{};
  /// Numbers that only some rows have, and that may replace the count of the row.
  std::vector<CountColumn> asides{};
  /// Rows with fewer numbers than the others, so their columns are unclear.
  std::vector<const PrintedRow*> torn{};
  /// Whether a column was left out only because of its numbers.
  bool has_other_numbers = false;
};

/// Tells whether numbers of all rows add up to the only number in a line that is called a total.
using FitsTotal = std::function<bool(const std::vector<NodeCount>&)>;

/// Returns the columns of `rows`, the rows of a divide. `depth` is its depth, if known. Numbers at
/// the places in `pointed` are not counts. A column that adds up to a total is never left out in
/// favour of one that does not.
[[nodiscard]] CountColumns columns_of(const std::vector<const PrintedRow*>& rows,
                                      const std::set<int>& pointed, std::optional<Depth> depth,
                                      const FitsTotal& fits_total);

/// Returns the number that is most likely the row's count.
[[nodiscard]] const PrintedCount& likeliest_count(const PrintedRow& row,
                                                  const std::set<int>& pointed);

/// Returns whether the column's head is a word for counts.
[[nodiscard]] bool is_called_count(const CountColumn& column);

/// Returns whether a number of this name may be a count although the name is no word for counts:
/// "stockfish".
[[nodiscard]] bool may_name_counts(std::string_view head);

/// Returns the depth in a head: "depth 3", "perft(3)"; nullopt if there is no depth.
[[nodiscard]] std::optional<int> depth_in_head(std::string_view head);

/// Returns whether both may count the same: the numbers of the rows that both have are alike.
[[nodiscard]] bool are_alike(const CountColumn& one, const CountColumn& other);

/// Returns whether no row has a greater number in `part` than in `whole`.
[[nodiscard]] bool is_part_of(const CountColumn& part, const CountColumn& whole);

/// Returns the column's name among `all`: "column 'stockfish'", or "second column" by its place, or
/// "second number" if one of them has numbers only in some rows.
[[nodiscard]] std::string name_among(const CountColumn& column,
                                     const std::vector<CountColumn>& all);

}  // namespace manyply
