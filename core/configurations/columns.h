// The configurations of the side that waits, as rows of a matrix meet them: eight at a time.
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

namespace manyply {

/// Columns are taken in groups of so many neighbours.
inline constexpr std::size_t kGroupColumns = 8;

constexpr std::size_t groups_of(std::size_t columns) {
  return (columns + kGroupColumns - 1) / kGroupColumns;
}

/// Which column a column becomes when one of its pieces is captured.
class Losses {
 public:
  /// Of what is without a piece, whether anybody wants it.
  using Wanted = std::function<bool(const Configuration& without)>;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// Inserts into `columns` each of its configurations without any one of the pieces that may be
  /// captured: `taken` says where they stand, by column; without those that are not `wanted`, if
  /// that is not empty. After `stop` they are not all there.
  void add_to(ConfigurationSet& columns, std::span<const Bitboard> taken, StopView stop,
              const Wanted& wanted = {});

  /// The same, but insert(items, numbers) inserts them into `columns`, many at once, and tells the
  /// number of each.
  using InsertAll =
      std::function<void(std::span<const Configuration>, std::vector<std::uint32_t>& numbers)>;
  void add_to(const ConfigurationSet& columns, std::span<const Bitboard> taken,
              const InsertAll& insert, StopView stop);

  /// kNobody for one that is not wanted. Precondition: `column` was there before add_to(), and
  /// `square` is one of those taken.
  [[nodiscard]] std::uint32_t of(std::size_t column, int square) const {
    const Pieces& pieces = pieces_[column];
    return after_[pieces.first +
                  static_cast<std::size_t>(popcount(pieces.squares & (bit(square) - 1)))];
  }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Pieces {
    Bitboard squares;   ///< of pieces that may be captured
    std::size_t first;  ///< of them, in after_
  };
  std::vector<Pieces> pieces_;        // by column
  std::vector<std::uint32_t> after_;  // by piece
};

/// The sets of all columns, each kind by column, with room for a whole last group.
struct Columns {
  Columns() = default;
  /// Room for `count` of them; `memory` outlives it.
  Columns(std::size_t count, std::pmr::memory_resource* memory);

  /// Writes columns `begin` to before `end`, whole groups but for the last column's, as `set` has
  /// them. Any thread, each column once. Returns what it adds to `somewhere`.
  Bitboard fill(const ConfigurationSet& set, std::size_t begin, std::size_t end);

  Bitboard somewhere = 0;         ///< squares where any column has a piece
  LargeArray<Bitboard> in_group;  ///< the same of each group
  LargeArray<Bitboard> occupied;
  LargeArray<Bitboard> pawns;
  LargeArray<Bitboard> knights;
  LargeArray<Bitboard> bishops_queens;
  LargeArray<Bitboard> rooks_queens;
  LargeArray<Bitboard> king;
  LargeArray<Bitboard> castling;
};

}  // namespace manyply
