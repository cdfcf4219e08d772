#include "core/configurations/columns.h"

namespace manyply {

void Losses::add_to(ConfigurationSet& columns, std::span<const Bitboard> taken, StopView stop,
                    const Wanted& wanted) {
  const std::size_t count = columns.size();
  pieces_.reserve(count);
  std::size_t losses = 0;
  for (const Bitboard squares : taken) losses += static_cast<std::size_t>(popcount(squares));
  after_.reserve(losses);
  constexpr std::size_t kBetweenLooks = 1024;
  for (std::size_t column = 0; column < count; ++column) {
    if (column % kBetweenLooks == 0 && stop.stop_requested()) return;
    const Configuration before = columns[column];  // a copy: the set grows
    const Bitboard squares = taken[column];
    pieces_.push_back({squares, after_.size()});
    for (Bitboard left = squares; left != 0;) {
      const Configuration after = without(before, pop_lowest(left));
      after_.push_back(!wanted || wanted(after) ? columns.insert(after) : kNobody);
    }
  }
}

std::uint64_t Losses::bytes() const {
  return pieces_.capacity() * sizeof(Pieces) + after_.capacity() * sizeof(after_[0]);
}

Columns::Columns(const ConfigurationSet& set) : count(set.size()) {
  const std::size_t room = groups_of(count) * kGroupColumns;
  for (std::vector<Bitboard>* const plane :
       {&occupied, &pawns, &knights, &bishops_queens, &rooks_queens, &king})
    plane->resize(room);
  for (std::size_t column = 0; column < count; ++column) {
    const Pieces& pieces = set[column].pieces;
    occupied[column] = pieces.all();
    somewhere |= pieces.all();
    pawns[column] = pieces.pawns;
    knights[column] = pieces.knights;
    bishops_queens[column] = pieces.bishops_queens;
    rooks_queens[column] = pieces.rooks_queens;
    king[column] = pieces.king;
  }
}

}  // namespace manyply
