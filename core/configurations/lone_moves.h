// Lists the moves of a configuration. Each move has its conditions for the other side's pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration.h"

namespace manyply {

/// A move from one configuration of the mover to another. The move is listed once for all
/// configurations of the other side. It is possible if no piece of the other side is on `path`. It
/// is a capture if a piece of the other side is on `to`.
///
/// The path of a push includes `to`. A pawn capture requires a piece on `to`. The kernels test
/// later whether the move leaves the mover's king in check, because this also depends on the other
/// side.
struct LoneMove {
  enum class Kind : std::uint8_t {
    kPiece,        ///< by a piece other than a pawn; may be a capture
    kPush,         ///< by a pawn; `to` is part of the path
    kDoublePush,   ///< by a pawn, two squares
    kPawnCapture,  ///< possible only as a capture
    kCastling,     ///< `from` is the king's square, `to` the rook's; the king's way must be safe
  };
  Bitboard path;
  std::uint8_t from;
  std::uint8_t to;
  Kind kind;

  /// Returns a number that identifies the move. Only the four promotions with the same `from` and
  /// `to` share a number. The number does not include `path`, which follows from the other fields.
  [[nodiscard]] constexpr std::uint16_t number() const {
    return static_cast<std::uint16_t>(static_cast<int>(kind) << 12 | from << 6 | to);
  }
  /// Returns the square that a double push passes over.
  [[nodiscard]] constexpr int passed() const { return (from + to) / 2; }
  /// Returns the square where the move may capture, as a set; empty if it cannot capture.
  [[nodiscard]] constexpr Bitboard captures() const {
    return kind == Kind::kPiece || kind == Kind::kPawnCapture ? bit(to) : 0;
  }
};

/// Larger than every LoneMove::number().
inline constexpr std::size_t kLoneMoves = std::size_t{5} << 12;

/// A move, and the mover's configuration after it.
struct LoneStep {
  LoneMove move;
  Configuration after;
};

/// Returns the squares that the pieces of `configuration` attack on a board without pieces of the
/// other side. `side` is the side of the configuration.
Bitboard sight_of(const Configuration& configuration, Color side);

/// Appends the moves of `configuration` to `steps`. `mover` is the side of the configuration. For a
/// promotion, appends four moves. Does not append en passant captures, because they also depend on
/// the preceding move (parallel/matrix/matrix_ply.h).
void append_lone_moves(const Configuration& configuration, Color mover,
                       std::vector<LoneStep>& steps);

/// Like append_lone_moves(), but appends only the moves that lead to a configuration of the same
/// kind (configuration.h).
void append_moves_within_kind(const Configuration& configuration, Color mover,
                              std::vector<LoneStep>& steps);

/// The moves from configurations of one kind to configurations of another kind. Only captures and
/// promotions by pawns change the kind, so the two kinds determine the file from which the pawn
/// comes. For other captures, they also determine the file to which it moves.
class MovesToKind {
 public:
  MovesToKind(ConfigurationKind before, ConfigurationKind after);
  /// Like append_lone_moves(), but appends only the moves that lead to the kind `after`. The kind
  /// of `configuration` must be `before`.
  void append(const Configuration& configuration, Color mover, std::vector<LoneStep>& steps) const;

 private:
  const ConfigurationKind after_;
  Bitboard from_ = 0;  // the file that loses a pawn
  Bitboard to_ = 0;    // the file that gains a pawn; empty for promotions
};

}  // namespace manyply
