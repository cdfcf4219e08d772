// Chooses the questions with which keys are checked. They begin with positions whose keys show the
// numbers of single features (see KeyFeature). Then come lines of play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

/// Returns the position with only these pieces. `rights` has the form of rights_of(). Returns
/// nullopt if the position is illegal, if two pieces have the same square, or if no capture on
/// `en_passant` is legal.
[[nodiscard]] std::optional<KeyPosition> sparse_position(
    const std::vector<std::pair<Piece, Square>>& pieces, Color side_to_move, unsigned rights = 0,
    std::optional<Square> en_passant = {});

/// Returns two positions that differ only in these features; nullopt if the search finds none. If
/// the numbers of the features cancel (their XOR is 0), the two positions have equal keys. If one
/// feature is a white king on a square, the white king stands there in one position, and on its
/// home square in the other. If two features are a white king on a square, each position has the
/// white king on a different one of these squares. The same applies to the black king.
[[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> positions_apart(
    const std::vector<std::size_t>& features);

/// Returns about 800 positions with few pieces. The keys of these positions determine all numbers
/// that keys can show: the numbers of pieces on squares, the side to move, the sets of castling
/// rights, and the en passant squares. Clocks are "0 1". All castling rights are those of standard
/// chess.
[[nodiscard]] std::vector<KeyPosition> telling_positions();

/// An endless sequence of lines of play. First come lines of one ply: each legal move from each
/// start position. Then come lines of two plies, and then lines of up to three plies that start at
/// each position of random games. Special moves occur more often than in real games. The sequence
/// is the same on every machine.
class KeyLines {
 public:
  /// Plays from the built-in positions, and from `more`.
  explicit KeyLines(std::vector<KeyPosition> more = {});

  [[nodiscard]] KeyLine next();

  static constexpr std::size_t kSteps = 3;  ///< maximum number of plies of a line

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] Move choose(const KeyPosition& position);
  void refill();

  std::mt19937_64 random_{1};
  std::vector<KeyPosition> starts_;
  std::vector<KeyLine> waiting_;  ///< the next line is at the back
  std::size_t round_ = 0;
};

/// Returns the last positions of lines from KeyLines, `count` in all. Their clocks are "0 1". They
/// have an en passant square only if a capture on it is legal.
[[nodiscard]] std::vector<KeyPosition> random_positions(std::size_t count);

}  // namespace manyply
