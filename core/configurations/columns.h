// The columns of a matrix: configurations of the side that does not move. The row kernel processes
// a row with a group of eight columns at once. The pair kernel, which counts distinct positions,
// processes blocks of 512 columns, with one bit for each column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/base/stop_view.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/large_array.h"
#include "core/configurations/sort_all.h"

namespace manyply {

/// Number of neighbouring columns in a group.
inline constexpr std::size_t kGroupColumns = 8;

/// Returns the number of groups that `columns` columns need.
constexpr std::size_t groups_of(std::size_t columns) {
  return (columns + kGroupColumns - 1) / kGroupColumns;
}

/// Finds the column that results from a capture. The input is a column and the square of one of its
/// pieces. The result is the column without this piece.
class Losses {
 public:
  /// of() returns this value if no caller needs the column that results from the capture. The set
  /// may lack such columns.
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// `memory` must outlive the object.
  explicit Losses(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : pieces_(memory), after_(memory) {}

  /// Inserts `items` into the set of columns, and writes the number of each item to the same index
  /// of `numbers`. May leave out items that are not needed, and then writes kNobody. Must insert
  /// all items if RowKernel::carry_back() will use the numbers.
  using InsertAll =
      std::function<void(std::span<const Configuration> items, std::span<std::uint32_t> numbers)>;

  /// For each column and each of its pieces that may be captured, makes a copy of the column
  /// without this piece. Passes all copies to insert(). Calls insert() only on the calling thread.
  /// taken[i] has the squares of the pieces of column i that may be captured. If a stop was
  /// requested, the result is incomplete.
  void add_to(const ConfigurationSet& columns, std::span<const Bitboard> taken,
              const InsertAll& insert, const ForEach& for_each, StopView stop);

  /// Returns the column that is equal to `column` without the piece on `square`; kNobody if no
  /// caller needs that column. Preconditions: `column` existed before add_to(), and taken[column]
  /// included `square`.
  [[nodiscard]] std::uint32_t of(std::size_t column, int square) const {
    const Pieces& pieces = pieces_[column];
    return after_[pieces.first +
                  static_cast<std::size_t>(popcount(pieces.squares & (bit(square) - 1)))];
  }
  /// For each capture, calls is_needless(column) with the column that of() returns. If the result
  /// is true, of() will return kNobody for this capture instead.
  template <typename IsNeedless>
  void drop(const IsNeedless& is_needless) {
    for (std::uint32_t& column : after_) {
      if (column != kNobody && is_needless(column)) column = kNobody;
    }
  }
  /// Returns the squares for which of(column, square) is not kNobody. Returns no squares if
  /// add_to() has inserted `column`.
  [[nodiscard]] Bitboard squares_of(std::size_t column) const {
    if (column >= pieces_.size()) return 0;
    Bitboard squares = 0;
    std::size_t at = pieces_[column].first;
    for (Bitboard left = pieces_[column].squares; left != 0; at += 1) {
      const int square = pop_lowest(left);
      if (after_[at] != kNobody) squares |= bit(square);
    }
    return squares;
  }
  /// Returns the approximate memory in use, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Pieces {
    Bitboard squares;   ///< squares of pieces that may be captured
    std::size_t first;  ///< index in after_ of the first of these pieces
  };
  std::pmr::vector<Pieces> pieces_;        // indexed by column
  std::pmr::vector<std::uint32_t> after_;  // column after the capture, by piece
};

/// The sets of pieces of all columns, one array per kind of piece. Each array has space for whole
/// groups.
struct Columns {
  Columns() = default;
  /// Allocates room for `count` columns from `memory`, which must outlive this object.
  Columns(std::size_t count, std::pmr::memory_resource* memory);

  /// Copies columns `begin` to `end` - 1 from `set`. This range must consist of whole groups. Only
  /// the last group of `set` may be incomplete: fill() completes it with columns without pieces.
  /// Different threads may fill different groups. Returns the squares where the copied columns have
  /// pieces. The caller must add these squares to `somewhere`.
  Bitboard fill(const ConfigurationSet& set, std::size_t begin, std::size_t end);

  /// Returns the configuration of a column.
  [[nodiscard]] Configuration configuration(std::size_t column) const {
    return {.pieces = {.pawns = pawns[column],
                       .knights = knights[column],
                       .bishops_queens = bishops_queens[column],
                       .rooks_queens = rooks_queens[column],
                       .king = king[column]},
            .castling = castling[column]};
  }

  Bitboard somewhere = 0;  ///< squares where at least one column has a piece
  /// For each group, the union of Losses::squares_of() over the columns of the group. The caller
  /// must fill this array.
  LargeArray<Bitboard> lost;
  LargeArray<Bitboard> occupied;
  LargeArray<Bitboard> pawns;
  LargeArray<Bitboard> knights;
  LargeArray<Bitboard> bishops_queens;
  LargeArray<Bitboard> rooks_queens;
  LargeArray<Bitboard> king;
  LargeArray<Bitboard> castling;
};

/// Number of neighbouring columns in a block.
inline constexpr std::size_t kPairBlock = 512;
inline constexpr std::size_t kBlockWords = kPairBlock / 64;

/// Returns the number of blocks that hold `columns` columns.
constexpr std::size_t blocks_of(std::size_t columns) {
  return (columns + kPairBlock - 1) / kPairBlock;
}

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
