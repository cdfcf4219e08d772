// Which numbers beside the moves of a printed table are its counts. There may be several columns of
// counts, as where two programs stand beside each other: each of them is one reading of the table.
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

/// What stands at one place beside the move.
struct CountColumn {
  int place = 0;           ///< place::, or the column's number among the asides
  std::string head{};      ///< what names it; empty: nothing does
  std::size_t offset = 0;  ///< of its first number in the line
  bool is_filled = false;  ///< some rows have no number there, and have that of another column
  std::vector<std::optional<NodeCount>> numbers{};  ///< of each row; nothing: it has none here

  [[nodiscard]] bool is_complete() const;
  /// The numbers that are there.
  [[nodiscard]] std::vector<NodeCount> counts() const;
};

/// The columns of a table. None is left out because another one has the right counts.
struct CountColumns {
  /// Those that may be the counts, the likeliest first: all but those whose head or whose numbers
  /// say that they are something else, such as a time, a depth, a running number, a sum so far or a
  /// part of another column.
  std::vector<CountColumn> all{};
  /// Numbers of some rows, each of which names another count than the one that it stands beside.
  std::vector<CountColumn> asides{};
  /// Rows that have fewer numbers than the others, so that it is not certain of which columns.
  std::vector<const PrintedRow*> torn{};
  /// Whether a column was left out because of its numbers alone.
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

/// The number that is the likeliest to be the row's count.
[[nodiscard]] const PrintedCount& likeliest_count(const PrintedRow& row,
                                                  const std::set<int>& pointed);

/// Whether its head says that it is a column of counts.
[[nodiscard]] bool is_called_count(const CountColumn& column);

/// Whether a number of that name may be a count, though the name does not say so: "stockfish".
[[nodiscard]] bool may_name_counts(std::string_view head);

/// The depth that a head tells: "depth 3", "perft(3)".
[[nodiscard]] std::optional<int> depth_in_head(std::string_view head);

/// Whether both may count the same, as are_alike() has it.
[[nodiscard]] bool are_alike(const CountColumn& one, const CountColumn& other);

/// Whether no number of `whole` is less than that of `part`.
[[nodiscard]] bool is_part_of(const CountColumn& part, const CountColumn& whole);

/// "column 'stockfish'"; by its place among `all`, "second column"; or "second number" where one of
/// them has numbers in some rows only.
[[nodiscard]] std::string name_among(const CountColumn& column,
                                     const std::vector<CountColumn>& all);

}  // namespace manyply
