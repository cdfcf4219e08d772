// Fully legal move generation.
#pragma once

#include <array>
#include <cstddef>

#include "core/position.h"

namespace manyply {

/// The legal moves of one position. The capacity is enough for every legal Position, even with 15
/// queens.
class MoveList {
 public:
  static constexpr std::size_t kCapacity = 512;

  void push_back(Move move) { moves_[size_++] = move; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Move operator[](std::size_t i) const { return moves_[i]; }
  [[nodiscard]] const Move* begin() const { return moves_.data(); }
  [[nodiscard]] const Move* end() const { return moves_.data() + size_; }

 private:
  std::size_t size_ = 0;
  std::array<Move, kCapacity> moves_;
};

/// Returns all legal moves, in a fixed order that does not depend on the machine.
[[nodiscard]] MoveList legal_moves(const Position& position);

}  // namespace manyply
