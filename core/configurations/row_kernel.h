// Rows of a matrix, and what is done with a whole row at a time, once for each instruction set.
//
// A matrix says how many paths lead to each pair of configurations: its rows are those of the side
// to move, its columns those of the other side. A ply makes new rows: each is the sum, over the
// moves that lead to its configuration, of the row that the move comes from, where the move is
// possible. README.md has the whole method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/lone_moves.h"
#include "core/kernel.h"

namespace manyply {

/// A row as it is stored: the groups of columns in which it has paths, and their number in each of
/// a group's columns.
struct RowView {
  const std::uint32_t* groups;
  const std::uint32_t* paths;  ///< kGroupColumns for each group
  std::size_t size;            ///< groups
};

/// A row that is being added up. Belongs to one thread, which uses it for row after row.
class RowSums {
 public:
  explicit RowSums(std::size_t columns)
      : sums_(groups_of(columns) * kGroupColumns),
        touched_(groups_of(columns) + 1),
        seen_(groups_of(columns)) {}

  /// Says that something is about to be added to `group`.
  void touch(std::uint32_t group) {
    touched_[touched_count_] = group;
    touched_count_ += seen_[group] == 0 ? 1 : 0;
    seen_[group] = 1;
  }
  void add(std::uint32_t column, std::uint64_t paths) {
    touch(column / kGroupColumns);
    sums_[column] += paths;
  }
  [[nodiscard]] std::uint64_t* group(std::uint32_t group) { return &sums_[group * kGroupColumns]; }
  [[nodiscard]] std::uint64_t operator[](std::size_t column) const { return sums_[column]; }

  [[nodiscard]] std::size_t touched() const { return touched_count_; }
  [[nodiscard]] std::uint32_t touched(std::size_t i) const { return touched_[i]; }

  /// All zero, for the next row.
  void clear() {
    for (std::size_t i = 0; i < touched_count_; ++i) {
      std::uint64_t* const sums = group(touched_[i]);
      for (std::size_t lane = 0; lane < kGroupColumns; ++lane) sums[lane] = 0;
      seen_[touched_[i]] = 0;
    }
    touched_count_ = 0;
  }

 private:
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint32_t> touched_;  // its first touched_count_; one more is written to
  std::vector<std::uint8_t> seen_;
  std::size_t touched_count_ = 0;
};

/// A double push that may be answered by an en passant capture, if it was legal.
struct EnPassantChance {
  std::uint32_t column;
  std::uint64_t paths;
  LoneMove push;
  std::uint32_t edge;  ///< which of its row's ways in it was; the ply fills it in
};

/// The part of a ply that one row needs.
struct RowStep {
  Color mover;
  const Columns& columns;
  const Losses& losses;
};

/// Immutable; any thread, each with its own sums.
struct RowKernel {
  /// Adds to `sums` what `move`, from a configuration whose row is `row`, makes of it. Double
  /// pushes beside one of the other side's pawns are told to `chances`, too. `own` are the mover's
  /// pieces before the move.
  void (*pull)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
               RowSums& sums, std::vector<EnPassantChance>& chances);
  /// The way back of `pull`: adds to `values`, which are laid out as `row`'s paths, what `move`
  /// leads to from each of its columns: `below`, by column, all groups whole. Means nothing where
  /// `row` has no paths.
  void (*carry_back)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
                     const std::uint64_t* below, std::uint64_t* values);
  /// Takes those columns out of `sums` that attack the king of `row`, whose side has just moved.
  void (*drop_illegal)(const RowStep& step, const Pieces& row, RowSums& sums);
};

/// In `kernel`'s instruction set.
const RowKernel& row_kernel_for(const Kernel& kernel);

}  // namespace manyply
