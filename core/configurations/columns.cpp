#include "core/configurations/columns.h"

#include <algorithm>
#include <array>

namespace manyply {

void Losses::add_to(const ConfigurationSet& columns, std::span<const Bitboard> taken,
                    const InsertAll& insert, const ForEach& for_each, StopView stop) {
  const std::size_t count = columns.size();
  std::size_t losses = 0;
  pieces_.reserve(count);
  for (const Bitboard squares : taken) {
    pieces_.push_back({squares, losses});
    losses += static_cast<std::size_t>(popcount(squares));
  }
  after_.resize(losses);
  std::vector<Configuration> lost;
  constexpr std::size_t kColumnsAtOnce = 16'384;
  constexpr std::size_t kOfWorker = 512;
  for (std::size_t first = 0; first < count; first += kColumnsAtOnce) {
    if (stop.stop_requested()) return;
    const std::size_t end = std::min(count, first + kColumnsAtOnce);
    const std::size_t begin_loss = pieces_[first].first;
    lost.resize((end < count ? pieces_[end].first : losses) - begin_loss);
    for_each((end - first + kOfWorker - 1) / kOfWorker, [&](std::size_t part) {
      const std::size_t begin = first + part * kOfWorker;
      for (std::size_t column = begin; column < std::min(end, begin + kOfWorker); ++column) {
        const Configuration& before = columns[column];
        std::size_t loss = pieces_[column].first - begin_loss;
        for (Bitboard left = taken[column]; left != 0;)
          lost[loss++] = without(before, pop_lowest(left));
      }
    });
    insert(lost, std::span(after_).subspan(begin_loss, lost.size()));
  }
}

std::uint64_t Losses::bytes() const {
  return pieces_.capacity() * sizeof(Pieces) + after_.capacity() * sizeof(after_[0]);
}

Columns::Columns(std::size_t count, std::pmr::memory_resource* memory) {
  for (LargeArray<Bitboard>* const plane :
       {&occupied, &pawns, &knights, &bishops_queens, &rooks_queens, &king, &castling})
    *plane = LargeArray<Bitboard>(groups_of(count) * kGroupColumns, memory);
  lost = LargeArray<Bitboard>(groups_of(count), memory);
}

Bitboard Columns::fill(const ConfigurationSet& set, std::size_t begin, std::size_t end) {
  Bitboard any = 0;
  const auto write = [&](std::size_t column, const Configuration& configuration) {
    const Pieces& pieces = configuration.pieces;
    occupied[column] = pieces.all();
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

PairPlanes::PairPlanes(const ConfigurationSet& columns, Color side)
    : columns_(columns),
      side_(side),
      words_(blocks_of(columns.size()) * kKinds * 64 * kBlockWords) {}

void PairPlanes::fill(std::size_t block) {
  for (std::size_t word = 0; word < kBlockWords; ++word) {
    const std::size_t first = block * kPairBlock + word * 64;
    if (first >= columns_.size()) return;
    const std::size_t count = std::min<std::size_t>(64, columns_.size() - first);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      std::uint64_t sets[64] = {};
      for (std::size_t i = 0; i < count; ++i) {
        const Pieces& pieces = columns_[first + i].pieces;
        sets[i] = std::array{pieces.all(), pieces.pawns, pieces.bishops_queens, pieces.rooks_queens,
                             stepping_attacks(pieces, side_)}[kind];
      }
      turn_over(sets);
      for (std::size_t square = 0; square < 64; ++square)
        words_[place(block, kind, square) + word] = sets[square];
    }
  }
}

}  // namespace manyply
