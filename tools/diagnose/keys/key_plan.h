// The questions of a check: first positions that show the numbers one by one, then lines of play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

/// Returns the position with only these pieces; nullopt if it is illegal. `rights` is as in
/// rights_of().
[[nodiscard]] std::optional<KeyPosition> sparse_position(
    const std::vector<std::pair<Piece, Square>>& pieces, Color side_to_move, unsigned rights = 0,
    std::optional<Square> en_passant = {});

/// Returns two positions that differ in these features only; nullopt if the search finds none.
/// Their keys are equal if the numbers of the features cancel. A king feature means that the king
/// stands on this square in one position and on its home square in the other.
[[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> positions_apart(
    const std::vector<std::size_t>& features);

/// Returns about 900 positions of a few pieces, from whose keys all numbers can be computed that
/// keys can show: pieces on squares, the side to move, the sets of castling rights, the en passant
/// squares. Clocks are "0 1"; no position has castling rights of Chess960.
[[nodiscard]] std::vector<KeyPosition> telling_positions();

/// An endless sequence of lines of play: first each move of each position, then pairs of moves,
/// then random games in steps of three plies. Special moves are more frequent than in games. The
/// sequence is the same on every machine.
class KeyLines {
 public:
  /// Plays from the built-in positions, and from `more`.
  explicit KeyLines(std::vector<KeyPosition> more = {});

  [[nodiscard]] KeyLine next();

  static constexpr std::size_t kSteps = 3;  ///< plies of a line, at most

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] Move choose(const KeyPosition& position);
  void refill();

  std::mt19937_64 random_{1};
  std::vector<KeyPosition> starts_;
  std::vector<KeyLine> waiting_;  ///< the next line is at the back
  std::size_t round_ = 0;
};

/// Returns `count` positions from random games, with clocks "0 1" and only usable en passant
/// squares.
[[nodiscard]] std::vector<KeyPosition> random_positions(std::size_t count);

}  // namespace manyply
