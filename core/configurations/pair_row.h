// Rows of pairs: one bit per column, which is set if the pair exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyply {

/// Number of neighbouring columns in a block.
inline constexpr std::size_t kPairBlock = 512;
inline constexpr std::size_t kBlockWords = kPairBlock / 64;

/// Returns the number of blocks that hold `columns` columns.
constexpr std::size_t blocks_of(std::size_t columns) {
  return (columns + kPairBlock - 1) / kPairBlock;
}

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

/// Transposes a 64 x 64 matrix of bits: bit i of word k becomes bit k of word i.
inline void turn_over(std::uint64_t (&rows)[64]) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (std::size_t width = 32; width != 0; width /= 2, mask ^= mask << width) {
    for (std::size_t first = 0; first < 64; first += 2 * width) {
      for (std::size_t i = first; i < first + width; ++i) {
        const std::uint64_t swapped = (rows[i] >> width ^ rows[i + width]) & mask;
        rows[i] ^= swapped << width;
        rows[i + width] ^= swapped;
      }
    }
  }
}

}  // namespace manyply
