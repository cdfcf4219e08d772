// The configurations of the side that waits, as rows of pairs meet them: by square, a bit for each
// of 512 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/pair_row.h"

namespace manyply {

/// For every square, the columns of which something is true there.
class PairPlanes {
 public:
  enum Kind : std::uint8_t {
    kOccupied,
    kPawns,
    kBishopsQueens,  ///< has a slider that moves so
    kRooksQueens,    ///< the same
    kNear,           ///< attacks the square by a pawn, a knight or the king
  };
  static constexpr std::size_t kKinds = 5;

  /// `side` is whose configurations they are. Empty until each block is filled.
  PairPlanes(const ConfigurationSet& columns, Color side);

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] std::size_t blocks() const { return blocks_of(columns_.size()); }
  /// Any thread, one block by one.
  void fill(std::size_t block);

  /// The bits of a block's columns.
  [[nodiscard]] const std::uint64_t* at(std::size_t block, Kind kind, int square) const {
    return &words_[place(block, kind, static_cast<std::size_t>(square))];
  }
  [[nodiscard]] std::uint64_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }
  /// Of planes for so many columns.
  static constexpr std::uint64_t bytes_for(std::size_t columns) {
    return blocks_of(columns) * kKinds * 64 * kBlockWords * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t place(std::size_t block, std::size_t kind, std::size_t square) {
    return ((block * kKinds + kind) * 64 + square) * kBlockWords;
  }

  const ConfigurationSet& columns_;
  const Color side_;
  std::vector<std::uint64_t> words_;
};

}  // namespace manyply
