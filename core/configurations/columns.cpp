#include "core/configurations/columns.h"

namespace manyply {

void Losses::add_to(ConfigurationSet& columns, Bitboard taken, StopView stop) {
  const std::size_t count = columns.size();
  pieces_.reserve(count);
  constexpr std::size_t kBetweenLooks = 1024;
  for (std::size_t column = 0; column < count; ++column) {
    if (column % kBetweenLooks == 0 && stop.stop_requested()) return;
    const Configuration before = columns[column];  // a copy: the set grows
    const Bitboard squares = before.pieces.all() & ~before.pieces.king & taken;
    pieces_.push_back({squares, after_.size()});
    for (Bitboard left = squares; left != 0;)
      after_.push_back(columns.insert(without(before, pop_lowest(left))));
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
    pawns[column] = pieces.pawns;
    knights[column] = pieces.knights;
    bishops_queens[column] = pieces.bishops_queens;
    rooks_queens[column] = pieces.rooks_queens;
    king[column] = pieces.king;
  }
}

}  // namespace manyply
