// Which kinds of moves, allowed ones and forbidden ones, a tree of moves has: what positions that
// an engine gets wrong may have in common.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/line.h"

namespace manyply {

enum class MoveKindSeen : std::uint8_t {
  kCapture,
  kDoubleStep,
  kEnPassant,
  kCastlingKingSide,
  kCastlingQueenSide,
  kRightLost,      ///< a king or rook that moves gives up castling
  kRightCaptured,  ///< with its rook
  kPromotion,
  kPromotionCapture,
  kPromotionCheck,
  kCheck,
  kDiscoveredCheck,
  kDoubleCheck,
  kEnPassantCheck,
  kEnPassantEvasion,
  kEnPassantPinned,  ///< along the line of the pawn's pin
  kCastlingCheck,
  kEvasion,
  kDoubleEvasion,  ///< of a check by two pieces
  kMate,
  kStalemate,  ///< the position that a move leads to
  // What somebody might play who forgets about the king, or about the rook's way.
  kEnPassantForbidden,
  kCastlingForbidden,  ///< though nobody stands in the way
  kCastlingBlocked,    ///< by somebody in the rook's way, and nobody in the king's
  kPinned,
};
inline constexpr std::size_t kMoveKindsSeen = 25;
using MoveKinds = std::bitset<kMoveKindsSeen>;

/// "en passant captures".
[[nodiscard]] std::string_view words_for(MoveKindSeen kind);

/// The kinds of all moves within `depth` plies of `line`'s end. Looks at every one of them: for
/// trees of some hundred thousand.
[[nodiscard]] MoveKinds kinds_below(const Line& line, Depth depth);

}  // namespace manyply
