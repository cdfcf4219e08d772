// Rows of a matrix, and what is done with a whole row at a time, once for each instruction set.
//
// A matrix says how many paths lead to each pair of configurations: its rows are those of the side
// to move, its columns those of the other side. A ply makes new rows: each is the sum, over the
// moves that lead to its configuration, of the row that the move comes from, where the move is
// possible. README.md has the whole method.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/board_lanes.h"
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

/// Paths to one position, or so many more that they no longer count: 31 bits are enough for what
/// anybody waits for, and let a sum that is too large be seen.
inline constexpr std::uint32_t kTooManyPaths = std::uint32_t{1} << 31;

/// A row that is being added up. Belongs to one thread, which uses it for row after row.
class RowSums {
 public:
  explicit RowSums(std::size_t columns)
      : sums_(groups_of(columns) * kGroupColumns),
        touched_(groups_of(columns)),
        with_paths_(groups_of(columns)),
        seen_(blocks_of(groups_of(columns)) * kBlockGroups),
        seen_blocks_(blocks_of(groups_of(columns))) {}

  /// Where vectors add. Whoever adds to a group sets `seen` of it, and of its block of groups.
  struct Raw {
    std::uint32_t* sums;
    std::uint8_t* seen;
    std::uint8_t* seen_blocks;

    void touch(std::uint32_t group) const {
      seen[group] = 1;
      seen_blocks[group / kBlockGroups] = 1;
    }
  };
  [[nodiscard]] Raw raw() { return {sums_.data(), seen_.data(), seen_blocks_.data()}; }

  void add(std::uint32_t column, std::uint32_t paths) {
    raw().touch(static_cast<std::uint32_t>(column / kGroupColumns));
    note(sums_[column] += paths);
  }
  /// Takes note of a sum, or of many by all of their bits.
  void note(std::uint32_t sum) { noted_ |= sum; }
  /// Whether any sum has become kTooManyPaths or more. Such sums stay so, or are noted before they
  /// can get small again, as long as nothing is added that has so many paths itself.
  [[nodiscard]] bool overflows() const { return (noted_ & kTooManyPaths) != 0; }

  /// Lists what has been touched, in order. To be called after the last addition.
  void list_touched() {
    touched_count_ = 0;
    take_flags(seen_blocks_.data(), seen_blocks_.size(), [this](std::size_t block) {
      const std::size_t first = block * kBlockGroups;
      take_flags(&seen_[first], kBlockGroups, [this, first](std::size_t group) {
        touched_[touched_count_++] = static_cast<std::uint32_t>(first + group);
      });
    });
  }
  // Of what list_touched() listed, ascending.
  [[nodiscard]] std::size_t touched() const { return touched_count_; }
  [[nodiscard]] std::uint32_t touched(std::size_t i) const { return touched_[i]; }
  /// The columns of touched(i) that have paths, as RowKernel::drop_illegal() has found: bit k is
  /// column k of the group.
  [[nodiscard]] unsigned columns_with_paths(std::size_t i) const { return with_paths_[i]; }
  void set_columns_with_paths(std::size_t i, unsigned columns) {
    with_paths_[i] = static_cast<std::uint8_t>(columns);
  }

  [[nodiscard]] std::uint32_t* group(std::size_t group) { return &sums_[group * kGroupColumns]; }
  [[nodiscard]] const std::uint32_t* group(std::size_t group) const {
    return &sums_[group * kGroupColumns];
  }
  [[nodiscard]] std::uint32_t operator[](std::size_t column) const { return sums_[column]; }

  /// All zero, for the next row. Precondition: nothing was added since list_touched().
  void clear() {
    for (std::size_t i = 0; i < touched_count_; ++i)
      std::memset(group(touched_[i]), 0, kGroupColumns * sizeof(sums_[0]));
    touched_count_ = 0;
    noted_ = 0;
  }

 private:
  static constexpr std::size_t kBlockGroups = 64;
  static constexpr std::size_t kWordFlags = 8;
  /// In whole words.
  static constexpr std::size_t blocks_of(std::size_t groups) {
    constexpr std::size_t kWordGroups = kBlockGroups * kWordFlags;
    return (groups + kWordGroups - 1) / kWordGroups * kWordFlags;
  }
  /// Calls take(i) for each flag that is set, lowest first, and takes them back. Nearly all are not
  /// set, and are looked at a word at a time.
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

  std::vector<std::uint32_t> sums_;
  std::vector<std::uint32_t> touched_;    // its first touched_count_
  std::vector<std::uint8_t> with_paths_;  // the same
  std::vector<std::uint8_t> seen_;        // by group
  std::vector<std::uint8_t> seen_blocks_;
  std::size_t touched_count_ = 0;
  std::uint32_t noted_ = 0;
};

/// A double push that may be answered by an en passant capture, if it was legal.
struct EnPassantChance {
  std::uint32_t column;
  std::uint32_t paths;
  LoneMove push;
  std::uint32_t edge;  ///< which of its row's ways in it was; the ply fills it in
};

/// Positions for a kernel to count, and the paths to each.
struct WaitingPairs {
  static constexpr std::size_t kEnough = 64;  // to be counted together
  // Whole groups of columns are written, whatever of them counts.
  static_assert(kEnough + 2 * kGroupColumns <= BoardLanes::kRoom);

  BoardLanes boards;
  std::array<std::uint32_t, BoardLanes::kRoom> paths;
  std::size_t size = 0;

  [[nodiscard]] bool are_enough() const { return size >= kEnough; }
  /// Precondition: they are not enough.
  void add(const Board& board, std::uint32_t paths_to_it) {
    boards.put(size, board);
    paths[size++] = paths_to_it;
  }
  /// Takes out the first `count`.
  void drop(std::size_t count) {
    size -= count;
    for (auto& word : boards.words) std::copy_n(&word[count], size, word.data());
    std::copy_n(&paths[count], size, paths.data());
  }
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
  /// pieces before castling; no other move asks for them.
  void (*pull)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
               RowSums& sums, std::vector<EnPassantChance>& chances);
  /// The way back of `pull`: adds to `values`, which are laid out as `row`'s paths, what `move`
  /// leads to from each of its columns: `below`, by column, all groups whole. Means nothing where
  /// `row` has no paths.
  void (*carry_back)(const RowStep& step, const LoneMove& move, Bitboard own, const RowView& row,
                     const std::uint64_t* below, std::uint64_t* values);
  /// Takes those columns out of `sums` that attack the king of `row`, whose side has just moved,
  /// and tells which are left.
  /// Precondition: list_touched() has been called.
  void (*drop_illegal)(const RowStep& step, const Pieces& row, RowSums& sums);
  /// Adds the pairs of `row` that `sums` have to `waiting`, the other side to move, from the group
  /// sums.touched(first) on, until they are enough. Returns where to go on.
  std::size_t (*add_pairs)(const RowStep& step, const Configuration& row, const RowSums& sums,
                           std::size_t first, WaitingPairs& waiting);
};

/// In `kernel`'s instruction set.
const RowKernel& row_kernel_for(const Kernel& kernel);

}  // namespace manyply
