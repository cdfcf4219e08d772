// Rows of pairs, and the operations on whole rows. There is one implementation for each instruction
// set.
//
// A row of pairs has one bit per column, which is set if the row forms a pair with the column. A
// move of the mover is applied to all pairs of a row at once: for each square of its path, one AND
// per register removes the columns with a piece on this square. README.md explains the whole
// method.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/lone_moves.h"
#include "core/kernel.h"

namespace manyply {

/// A row as it is stored: the numbers of the blocks in which the row has pairs, in any order, and
/// the bits of these blocks.
struct PairRowView {
  const std::uint32_t* blocks;
  const std::uint64_t* words;  ///< kBlockWords for each block
  std::size_t size;            ///< number of blocks
};

/// A row under construction. A thread uses one object for many rows, one after the other.
class PairRow {
 public:
  explicit PairRow(std::size_t columns)
      : words_(blocks_of(columns) * kBlockWords),
        touched_(blocks_of(columns) + 1),
        seen_(blocks_of(columns)) {}

  /// Records that bits of `block` will be set. The caller must call touch() before it writes to the
  /// block.
  void touch(std::uint32_t block) {
    touched_[touched_count_] = block;
    touched_count_ += seen_[block] == 0 ? 1 : 0;
    seen_[block] = 1;
  }
  /// Adds the pair with `column`.
  void add(std::uint32_t column) {
    const auto block = static_cast<std::uint32_t>(column / kPairBlock);
    touch(block);
    words_[column / 64] |= std::uint64_t{1} << column % 64;
  }
  [[nodiscard]] std::uint64_t* block(std::size_t block) { return &words_[block * kBlockWords]; }
  [[nodiscard]] const std::uint64_t* block(std::size_t block) const {
    return &words_[block * kBlockWords];
  }

  /// Returns the number of blocks that were touched.
  [[nodiscard]] std::size_t touched() const { return touched_count_; }
  [[nodiscard]] std::uint32_t touched(std::size_t i) const { return touched_[i]; }

  /// Removes all pairs, for the next row.
  void clear() {
    for (std::size_t i = 0; i < touched_count_; ++i) {
      std::uint64_t* const words = block(touched_[i]);
      for (std::size_t word = 0; word < kBlockWords; ++word) words[word] = 0;
      seen_[touched_[i]] = 0;
    }
    touched_count_ = 0;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t>
      touched_;  // the first touched_count_ are valid; touch() may also write the next entry
  std::vector<std::uint8_t> seen_;
  std::size_t touched_count_ = 0;
};

/// The pairs of one row and one block in which the row has just pushed a pawn by two squares, and
/// the column has a pawn next to it. In these pairs, an en passant capture may be possible.
struct PushedPairs {
  std::uint32_t block;
  LoneMove push;
  /// One bit for each column of the block, which is set if the pair exists.
  std::array<std::uint64_t, kBlockWords> words;
};

/// The inputs that are the same for all rows of a ply.
struct PairStep {
  Color mover;
  const PairPlanes& planes;
  const Losses& losses;
};

/// The functions of one instruction set. Immutable. Any thread may call them with its own row.
struct PairKernel {
  /// Applies `move` to the pairs of `source`, and adds the new pairs to `row`. After a double push,
  /// some new pairs go to `pushed` instead: those in which the column has a pawn next to the pushed
  /// pawn. `own` are the mover's pieces before the move.
  void (*pull)(const PairStep& step, const LoneMove& move, Bitboard own, const PairRowView& source,
               PairRow& row, std::vector<PushedPairs>& pushed);
  /// Removes the pairs in which the column attacks the king of `pieces`, whose side has just moved.
  void (*drop_illegal)(const PairStep& step, const Pieces& pieces, PairRow& row);
  /// Like drop_illegal(), for the pairs of the first `count` elements of `pushed`.
  void (*drop_illegal_pushes)(const PairStep& step, const Pieces& pieces, PushedPairs* pushed,
                              std::size_t count);
  /// Returns the number of pairs of `row`. If `counted` is not null, counts only the pairs with
  /// columns whose bit is set in `counted`. `counted` has kBlockWords words for each block of
  /// columns.
  std::uint64_t (*count)(const PairRow& row, const std::uint64_t* counted);
};

/// Returns the kernel for the instruction set of `kernel`.
const PairKernel& pair_kernel_for(const Kernel& kernel);

}  // namespace manyply
