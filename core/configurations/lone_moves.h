// The moves of a configuration by itself, and what each asks of the other side's pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration.h"

namespace manyply {

/// A move between two configurations of the mover. It is made once, and serves for every
/// configuration that the other side may have:
///   * it is possible where none of the other side's pieces stands on `path`;
///   * it captures where one stands on `to`, which then belongs to the path or is what it needs.
/// Whether it leaves the mover's king in check shows only once both sides are known.
struct LoneMove {
  enum class Kind : std::uint8_t {
    kPiece,        ///< of any piece but a pawn: quiet, or a capture
    kPush,         ///< of a pawn, `to` is part of the path
    kDoublePush,   ///< the same, two squares
    kPawnCapture,  ///< only as a capture
    kCastling,     ///< `from` is the king, `to` the rook; the king's way must be safe
  };
  Bitboard path;
  std::uint8_t from;
  std::uint8_t to;
  Kind kind;

  /// Tells it from all other moves: what a path is follows from the rest.
  [[nodiscard]] constexpr std::uint16_t number() const {
    return static_cast<std::uint16_t>(static_cast<int>(kind) << 12 | from << 6 | to);
  }
  /// Of a double push, the square passed over.
  [[nodiscard]] constexpr int passed() const { return (from + to) / 2; }
  /// The square where it may capture, as a set.
  [[nodiscard]] constexpr Bitboard captures() const {
    return kind == Kind::kPiece || kind == Kind::kPawnCapture ? bit(to) : 0;
  }
};

/// Above all LoneMove::number().
inline constexpr std::size_t kLoneMoves = std::size_t{5} << 12;

struct LoneStep {
  LoneMove move;
  Configuration after;
};

/// Squares that the pieces of `configuration` attack if nothing of the other side's is between.
Bitboard sight_of(const Configuration& configuration, Color side);

/// Appends the moves of `configuration`, of side `mover`. A promotion is four of them. En passant
/// is not among them: it needs more than two configurations (parallel/matrix/matrix_ply.h).
void append_lone_moves(const Configuration& configuration, Color mover,
                       std::vector<LoneStep>& steps);

/// The same, of pawns alone.
void append_lone_pawn_moves(const Configuration& configuration, Color mover,
                            std::vector<LoneStep>& steps);

}  // namespace manyply
