#include "core/configurations/columns.h"

#include <algorithm>

namespace manyply {

void Losses::add_to(ConfigurationSet& columns, std::span<const Bitboard> taken, StopView stop,
                    const Wanted& wanted) {
  const auto insert = [&](std::span<const Configuration> items,
                          std::vector<std::uint32_t>& numbers) {
    for (std::size_t i = 0; i < items.size(); ++i)
      numbers[i] = !wanted || wanted(items[i]) ? columns.insert(items[i]) : kNobody;
  };
  add_to(columns, taken, insert, stop);
}

void Losses::add_to(const ConfigurationSet& columns, std::span<const Bitboard> taken,
                    const InsertAll& insert, StopView stop) {
  const std::size_t count = columns.size();
  pieces_.reserve(count);
  std::size_t losses = 0;
  for (const Bitboard squares : taken) losses += static_cast<std::size_t>(popcount(squares));
  after_.reserve(losses);
  std::vector<Configuration> lost;
  std::vector<std::uint32_t> numbers;
  constexpr std::size_t kColumnsAtOnce = 4096;
  for (std::size_t first = 0; first < count; first += kColumnsAtOnce) {
    if (stop.stop_requested()) return;
    lost.clear();
    for (std::size_t column = first; column < std::min(count, first + kColumnsAtOnce); ++column) {
      const Configuration& before = columns[column];
      pieces_.push_back({taken[column], after_.size() + lost.size()});
      for (Bitboard left = taken[column]; left != 0;)
        lost.push_back(without(before, pop_lowest(left)));
    }
    numbers.resize(lost.size());
    insert(lost, numbers);
    after_.insert(after_.end(), numbers.begin(), numbers.end());
  }
}

std::uint64_t Losses::bytes() const {
  return pieces_.capacity() * sizeof(Pieces) + after_.capacity() * sizeof(after_[0]);
}

Columns::Columns(std::size_t count, std::pmr::memory_resource* memory) {
  for (LargeArray<Bitboard>* const plane :
       {&occupied, &pawns, &knights, &bishops_queens, &rooks_queens, &king, &castling})
    *plane = LargeArray<Bitboard>(groups_of(count) * kGroupColumns, memory);
  in_group = LargeArray<Bitboard>(groups_of(count), memory);
}

Bitboard Columns::fill(const ConfigurationSet& set, std::size_t begin, std::size_t end) {
  Bitboard any = 0;
  for (std::size_t group = begin / kGroupColumns; group < groups_of(end); ++group)
    in_group[group] = 0;
  const auto write = [&](std::size_t column, const Configuration& configuration) {
    const Pieces& pieces = configuration.pieces;
    occupied[column] = pieces.all();
    in_group[column / kGroupColumns] |= pieces.all();
    any |= pieces.all();
    pawns[column] = pieces.pawns;
    knights[column] = pieces.knights;
    bishops_queens[column] = pieces.bishops_queens;
    rooks_queens[column] = pieces.rooks_queens;
    king[column] = pieces.king;
    castling[column] = configuration.castling;
  };
  for (std::size_t column = begin; column < end; ++column) write(column, set[column]);
  for (std::size_t column = end; column % kGroupColumns != 0; ++column) write(column, {});
  return any;
}

}  // namespace manyply
