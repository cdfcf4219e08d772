// Which positions a program is asked for: few that tell its numbers one by one, then lines of play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_features.h"
#include "tools/diagnose/keys/key_position.h"

namespace manyply {

/// The position with these pieces alone, if chess has it; rights as in rights_of().
[[nodiscard]] std::optional<KeyPosition> sparse_position(
    const std::vector<std::pair<Piece, Square>>& pieces, Color side_to_move, unsigned rights = 0,
    std::optional<Square> en_passant = {});

/// Two positions that differ in these features and in nothing else: those that are alike have one
/// key. A king alone stands for itself and its home. Nothing where none were found.
[[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> positions_apart(
    const std::vector<std::size_t>& features);

/// Positions of a few pieces that differ in one feature each, so that their keys tell all numbers
/// that keys can tell: every piece on every square, the side, each set of castling rights, each en
/// passant square. About 900, with clocks "0 1", without castling rights of Chess960.
[[nodiscard]] std::vector<KeyPosition> telling_positions();

/// Lines of play from these positions and out of random games, one after the other, without an end:
/// first each move of each position, then pairs of moves, then games in steps of three plies. What
/// keys may stumble over comes more often than by chance. The same everywhere.
class KeyLines {
 public:
  /// `more` come behind those that are built in. Not for Chess960 unless `chess960`.
  explicit KeyLines(std::vector<KeyPosition> more = {});

  [[nodiscard]] KeyLine next();

  static constexpr std::size_t kSteps = 3;  ///< plies of a line, at most

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] Move choose(const KeyPosition& position);
  void refill();

  std::mt19937_64 random_{1};
  std::vector<KeyPosition> starts_;
  std::vector<KeyLine> waiting_;  ///< the next one at the back
  std::size_t round_ = 0;
};

/// So many positions out of random games, told with clocks "0 1" and with those en passant squares
/// alone that can be used.
[[nodiscard]] std::vector<KeyPosition> random_positions(std::size_t count);

}  // namespace manyply
