// The columns of pairs: configurations of the side that does not move. A plane belongs to a square
// and a property, and has one bit for each of 512 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/pair_row.h"

namespace manyply {

/// For each square and each property (Kind), the set of columns with this property. Any thread may
/// read a block after fill() has filled it.
class PairPlanes {
 public:
  enum Kind : std::uint8_t {
    kOccupied,
    kPawns,
    kBishopsQueens,  ///< has a bishop or queen on the square
    kRooksQueens,    ///< has a rook or queen on the square
    kNear,           ///< attacks the square with a pawn, a knight or the king
  };
  static constexpr std::size_t kKinds = 5;

  /// `side` is the side of the columns. `columns` must outlive this object. The planes of a block
  /// are empty until the block is filled.
  PairPlanes(const ConfigurationSet& columns, Color side);

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] std::size_t blocks() const { return blocks_of(columns_.size()); }
  /// Computes the planes of a block. Different threads may fill different blocks.
  void fill(std::size_t block);

  /// Returns one plane of a block: kBlockWords words, with a bit for each column.
  [[nodiscard]] const std::uint64_t* at(std::size_t block, Kind kind, int square) const {
    return &words_[place(block, kind, static_cast<std::size_t>(square))];
  }
  [[nodiscard]] std::uint64_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }
  /// Returns the number of bytes that the planes of `columns` columns need.
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
