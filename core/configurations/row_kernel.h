// Rows of a matrix, and the operations on whole rows. There is one implementation for each
// instruction set.
//
// A matrix has the number of paths to each pair of configurations. Its rows are configurations of
// the side to move. Its columns are configurations of the other side. A ply creates new rows as
// sums of old rows. Each move from an old to a new configuration adds the old row to the new row,
// but only in the columns that allow the move. README.md explains the whole method.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <vector>

#include "core/board.h"
#include "core/configurations/columns.h"
#include "core/configurations/lone_moves.h"
#include "core/kernel.h"

namespace manyply {

// --- stored rows --------------------------------------------------------------------------------

/// A stored row. It has the groups of columns in which the row has paths, and the number of paths
/// to each pair.
struct RowView {
  const std::uint32_t* groups;  ///< numbers of the groups, ascending
  const std::uint8_t* lanes;   ///< by group: the columns with paths; bit k is column k of the group
  const std::uint16_t* paths;  ///< the packed paths of all groups, one group after the other
  std::size_t size;            ///< number of groups
};

// Packed paths are the numbers of paths to the pairs of one row and one group of columns. Pairs
// without paths are left out. If all numbers are below 2^16, each takes one word of 16 bits.
// Otherwise, the packed paths start with the word 0. It is followed by the set of columns with
// large numbers (2^16 or more), the lower halves of all numbers, and the upper halves of the large
// numbers.
//
// Code that unpacks numbers in vector registers may read up to kPackedReadAhead words after the
// packed paths, so this memory must be readable.

inline constexpr std::size_t kMostPacked = 2 + 2 * kGroupColumns;  ///< words of a group
inline constexpr std::size_t kPackedReadAhead = 8;

/// Returns the number of words of the packed paths at `packed`. `lanes` is the set of columns with
/// paths.
inline std::size_t packed_size(unsigned lanes, const std::uint16_t* packed) {
  const auto count = static_cast<std::size_t>(std::popcount(lanes));
  if (*packed != 0) [[likely]]
    return count;
  return 2 + count + static_cast<std::size_t>(std::popcount(packed[1]));
}

/// Reads the packed paths at `packed`. Writes one number for each column of the group to `paths`: 0
/// if the column is not in `lanes`. Returns the place after the packed paths.
inline const std::uint16_t* unpack(unsigned lanes, const std::uint16_t* packed,
                                   std::uint32_t* paths) {
  std::fill_n(paths, kGroupColumns, 0U);
  unsigned large = 0;
  if (*packed == 0) {
    large = packed[1];
    packed += 2;
  }
  for (; lanes != 0; lanes &= lanes - 1) paths[std::countr_zero(lanes)] = *packed++;
  for (; large != 0; large &= large - 1)
    paths[std::countr_zero(large)] |= std::uint32_t{*packed++} << 16;
  return packed;
}

/// Returns the columns in `lanes` whose numbers do not fit into 16 bits.
inline unsigned large_lanes(unsigned lanes, const std::uint32_t* paths) {
  unsigned large = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
    large |= (paths[lane] > 0xFFFF ? 1U : 0U) << lane;
  }
  return large;
}

/// Returns the number of words that pack() writes.
inline std::size_t size_to_pack(unsigned lanes, const std::uint32_t* paths) {
  const unsigned large = large_lanes(lanes, paths);
  return static_cast<std::size_t>(std::popcount(lanes) +
                                  (large == 0 ? 0 : 2 + std::popcount(large)));
}

/// Packs the numbers of the columns in `lanes`, which must not be 0. Writes at most kMostPacked
/// words to `to`, and returns the place after the last one.
inline std::uint16_t* pack(unsigned lanes, const std::uint32_t* paths, std::uint16_t* to) {
  unsigned large = large_lanes(lanes, paths);
  if (large != 0) [[unlikely]] {
    *to++ = 0;
    *to++ = static_cast<std::uint16_t>(large);
  }
  for (; lanes != 0; lanes &= lanes - 1)
    *to++ = static_cast<std::uint16_t>(paths[std::countr_zero(lanes)]);
  for (; large != 0; large &= large - 1)
    *to++ = static_cast<std::uint16_t>(paths[std::countr_zero(large)] >> 16);
  return to;
}

/// `lanes` has the columns of a group that have paths. Calls visit(lane, paths) for each of these
/// columns. Returns the place after the group's packed paths.
template <typename Visit>
const std::uint16_t* for_each_in_group(unsigned lanes, const std::uint16_t* packed,
                                       const Visit& visit) {
  if (*packed != 0) [[likely]] {
    for (; lanes != 0; lanes &= lanes - 1)
      visit(static_cast<std::size_t>(std::countr_zero(lanes)), std::uint32_t{*packed++});
    return packed;
  }
  std::uint32_t paths[kGroupColumns];
  const std::uint16_t* const end = unpack(lanes, packed, paths);
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    visit(lane, paths[lane]);
  }
  return end;
}

/// Calls visit(column) for each column in which `row` has paths.
template <typename Visit>
void for_each_column(const RowView& row, const Visit& visit) {
  for (std::size_t i = 0; i < row.size; ++i) {
    for (unsigned lanes = row.lanes[i]; lanes != 0; lanes &= lanes - 1)
      visit(row.groups[i] * kGroupColumns + static_cast<std::size_t>(std::countr_zero(lanes)));
  }
}

/// Appends the numbers of paths of `row` to `paths`: kGroupColumns numbers for each group.
inline void append_unpacked(const RowView& row, std::vector<std::uint32_t>& paths) {
  const std::uint16_t* packed = row.paths;
  for (std::size_t i = 0; i < row.size; ++i) {
    paths.resize(paths.size() + kGroupColumns);
    packed = unpack(row.lanes[i], packed, &paths[paths.size() - kGroupColumns]);
  }
}

// --- rows under construction, and kernels -------------------------------------------------------

/// The number of paths to one position must be lower than this limit. A sum that reaches the limit
/// has its highest bit set, and the job then counts with hashing instead.
inline constexpr std::uint32_t kTooManyPaths = std::uint32_t{1} << 31;

/// A row under construction. A thread uses one object for many rows, one after the other.
class RowSums {
 public:
  /// `memory` must outlive the object.
  explicit RowSums(std::size_t columns,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : sums_(groups_of(columns) * kGroupColumns, memory),
        touched_(groups_of(columns), memory),
        with_paths_(groups_of(columns), memory),
        seen_(areas_of(groups_of(columns)) * kAreaGroups, memory),
        seen_blocks_(areas_of(groups_of(columns)) * kFlagsAbove),
        seen_areas_(areas_of(groups_of(columns))) {}

  /// The arrays, for vector code. Code that adds to a group must also call touch() for this group,
  /// and must pass the new sums to note().
  struct Raw {
    std::uint32_t* sums;
    std::uint8_t* seen;
    std::uint8_t* seen_blocks;
    std::uint8_t* seen_areas;

    void touch(std::uint32_t group) const {
      seen[group] = 1;
      seen_blocks[group / kFlagsAbove] = 1;
      seen_areas[group / kAreaGroups] = 1;
    }
  };
  [[nodiscard]] Raw raw() {
    return {sums_.data(), seen_.data(), seen_blocks_.data(), seen_areas_.data()};
  }

  /// Adds `paths` to the sum of `column`.
  void add(std::uint32_t column, std::uint32_t paths) {
    raw().touch(static_cast<std::uint32_t>(column / kGroupColumns));
    note(sums_[column] += paths);
  }
  /// Remembers `sum`, so that overflows() can check it. The caller may pass the bitwise OR of many
  /// sums.
  void note(std::uint32_t sum) { noted_ |= sum; }
  /// Returns whether a sum has reached kTooManyPaths. Precondition: each added number is below
  /// kTooManyPaths. So the first sum that reaches this limit is below 2^32, and note() stores its
  /// highest bit.
  [[nodiscard]] bool overflows() const { return (noted_ & kTooManyPaths) != 0; }

  /// Lists the touched groups in ascending order. Call it after the last addition.
  void list_touched() {
    touched_count_ = 0;
    take_flags(seen_areas_.data(), seen_areas_.size(), [this](std::size_t area) {
      const std::size_t blocks = area * kFlagsAbove;
      take_flags(&seen_blocks_[blocks], kFlagsAbove, [this, blocks](std::size_t block) {
        const std::size_t groups = (blocks + block) * kFlagsAbove;
        take_flags(&seen_[groups], kFlagsAbove, [this, groups](std::size_t group) {
          touched_[touched_count_++] = static_cast<std::uint32_t>(groups + group);
        });
      });
    });
  }
  // The groups that list_touched() found, in ascending order.
  [[nodiscard]] std::size_t touched() const { return touched_count_; }
  [[nodiscard]] std::uint32_t touched(std::size_t i) const { return touched_[i]; }
  /// Returns the columns of group touched(i) that have paths. Bit k is column k of the group.
  /// Precondition: RowKernel::drop_illegal() was called.
  [[nodiscard]] unsigned columns_with_paths(std::size_t i) const { return with_paths_[i]; }
  void set_columns_with_paths(std::size_t i, unsigned columns) {
    with_paths_[i] = static_cast<std::uint8_t>(columns);
  }

  [[nodiscard]] std::uint32_t* group(std::size_t group) { return &sums_[group * kGroupColumns]; }
  [[nodiscard]] const std::uint32_t* group(std::size_t group) const {
    return &sums_[group * kGroupColumns];
  }
  [[nodiscard]] std::uint32_t operator[](std::size_t column) const { return sums_[column]; }

  /// Sets all sums to zero for the next row. Precondition: nothing was added after list_touched().
  void clear() {
    for (std::size_t i = 0; i < touched_count_; ++i)
      std::memset(group(touched_[i]), 0, kGroupColumns * sizeof(sums_[0]));
    touched_count_ = 0;
    noted_ = 0;
  }

 private:
  // Flags for groups, blocks and areas. A block has kFlagsAbove groups, and an area has kFlagsAbove
  // blocks. The flag of a group is set if the group was touched. The flag of a block or area is set
  // if at least one of its groups was touched. Areas save time if there are tens of millions of
  // columns. Without areas, the search for touched groups would take most of the time for a short
  // row.
  static constexpr std::size_t kFlagsAbove = 64;
  static constexpr std::size_t kAreaGroups = kFlagsAbove * kFlagsAbove;
  static constexpr std::size_t kWordFlags = 8;
  /// Returns the number of areas that `groups` groups need, rounded up so that the flags of the
  /// areas fill whole words.
  static constexpr std::size_t areas_of(std::size_t groups) {
    constexpr std::size_t kWordGroups = kAreaGroups * kWordFlags;
    return (groups + kWordGroups - 1) / kWordGroups * kWordFlags;
  }
  /// Calls take(i) for each flag that is set, in ascending order, and clears the flag. Nearly all
  /// flags are clear, so a whole word of flags is tested at once.
  static void take_flags(std::uint8_t* flags, std::size_t count, const auto& take) {
    for (std::size_t first = 0; first < count; first += kWordFlags) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + first, sizeof word);
      if (word == 0) continue;
      for (std::size_t i = 0; i < kWordFlags; ++i) {
        if (flags[first + i] != 0) take(first + i);
      }
      std::memset(flags + first, 0, sizeof word);
    }
  }

  std::pmr::vector<std::uint32_t> sums_;
  std::pmr::vector<std::uint32_t> touched_;    // the first touched_count_ are valid
  std::pmr::vector<std::uint8_t> with_paths_;  // the first touched_count_ are valid
  std::pmr::vector<std::uint8_t> seen_;        // indexed by group
  std::vector<std::uint8_t> seen_blocks_;
  std::vector<std::uint8_t> seen_areas_;
  std::size_t touched_count_ = 0;
  std::uint32_t noted_ = 0;
};

/// A double push. An enemy pawn may be able to capture the pushed pawn en passant. It is not yet
/// known whether the push was legal.
struct EnPassantChance {
  std::uint32_t column;
  std::uint32_t paths;
  LoneMove push;
  std::uint32_t edge;  ///< number of the push, see MatrixPly::edge(); set by MatrixPly
};

/// Positions that a kernel will count together later, and the number of paths to each position.
struct WaitingPairs {
  static constexpr std::size_t kEnough = 64;  // this number of positions is counted together
  // add_pairs() always adds the pairs of a whole group before it compares `size` with kEnough. So
  // `size` may exceed kEnough by up to kGroupColumns. After the last position, add_pairs() may also
  // write up to kGroupColumns arbitrary values.
  static_assert(kEnough + 2 * kGroupColumns <= BoardLanes::kRoom);

  BoardLanes boards;
  std::array<std::uint32_t, BoardLanes::kRoom> paths;
  std::size_t size = 0;

  [[nodiscard]] bool are_enough() const { return size >= kEnough; }
  /// Adds a position. Precondition: !are_enough().
  void add(const Board& board, std::uint32_t paths_to_it) {
    boards.put(size, board);
    paths[size++] = paths_to_it;
  }
  /// Removes the first `count` positions.
  void drop(std::size_t count) {
    size -= count;
    for (auto& word : boards.words) std::copy_n(&word[count], size, word.data());
    std::copy_n(&paths[count], size, paths.data());
  }
};

/// The inputs that are the same for all rows of a ply.
struct RowStep {
  Color mover;
  const Columns& columns;
  const Losses& losses;
};

/// The functions of one instruction set. Immutable. Any thread may call them with its own sums.
struct RowKernel {
  /// Applies `move` to the row `row` and adds the result to `sums`. If `move` is a double push,
  /// also adds an element to `chances` for each column in which the push is possible and a pawn of
  /// the column stands next to the pushed pawn. `own` are the mover's pieces before the move. Only
  /// castling uses `own`.
  void (*pull)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
               RowSums& sums, std::vector<EnPassantChance>& chances);
  /// The reverse of `pull`, for divides. `move` leads from `row` to a later row. below[d] is the
  /// value of column d in the later row. `values` has kGroupColumns values for each group of `row`.
  /// The move leads from column c to column d: d is c without the captured piece, or c itself if
  /// the move captures nothing. If the move is possible in c, adds below[d] to the value of c.
  /// Afterwards, values of columns without paths are meaningless. The size of `below` must be a
  /// multiple of kGroupColumns. carry_back_short is for values that fit into 32 bits.
  void (*carry_back)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
                     const std::uint64_t* below, std::uint64_t* values);
  void (*carry_back_short)(const RowStep& step, const LoneMove& move, Bitboard own,
                           const RowView& row, const std::uint32_t* below, std::uint32_t* values);
  /// Removes the illegal pairs of `row` after a move of the row's side. If a column attacks the
  /// row's king, sets the sum of this column to zero. Records which columns still have paths.
  /// Precondition: list_touched() was called.
  void (*drop_illegal)(const RowStep& step, const Pieces& row, RowSums& sums);
  /// Appends to `waiting` the pairs of `row` that have paths, as positions in which the columns'
  /// side is to move. Starts at group sums.touched(first) and stops as soon as `waiting` has enough
  /// positions. Returns the value that the caller must pass as `first` to the next call.
  std::size_t (*add_pairs)(const RowStep& step, const Configuration& row, const RowSums& sums,
                           std::size_t first, WaitingPairs& waiting);
};

/// Returns the kernel for the instruction set of `kernel`.
const RowKernel& row_kernel_for(const Kernel& kernel);

}  // namespace manyply
