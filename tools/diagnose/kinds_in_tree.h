// Finds which kinds of moves, such as castling or promotions, occur in a tree, and which kinds of
// illegal moves a program may play there. If an engine gets several positions wrong, the kinds show
// what these positions have in common.
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
  kRightLost,      ///< a king or rook moves and ends a castling right
  kRightCaptured,  ///< the capture of a rook ends a castling right
  kPromotion,
  kPromotionCapture,
  kPromotionCheck,
  kCheck,
  kDiscoveredCheck,
  kDoubleCheck,
  kEnPassantCheck,
  kEnPassantEvasion,
  kEnPassantPinned,  ///< by a pinned pawn, along the line of its pin
  kCastlingCheck,
  kEvasion,
  kDoubleEvasion,  ///< evasion of a check by two pieces
  kMate,
  kStalemate,  ///< the position after the move is stalemate
  // Illegal moves that a program may play if it ignores the safety of its king, or a piece in the
  // way of the castling rook.
  kEnPassantForbidden,
  kCastlingForbidden,  ///< castling that is illegal although no piece is in the way
  kCastlingBlocked,    ///< a piece is in the rook's way but not in the king's way
  kPinned,             ///< the side to move has a pinned piece
};
inline constexpr std::size_t kMoveKindsSeen = 25;
using MoveKinds = std::bitset<kMoveKindsSeen>;

/// Returns the kind in words: "en passant captures".
[[nodiscard]] std::string_view words_for(MoveKindSeen kind);

/// Returns the kinds of all moves within `depth` plies after the end of `line`. Examines each move,
/// so the tree should have at most a few hundred thousand moves.
[[nodiscard]] MoveKinds kinds_below(const Line& line, Depth depth);

}  // namespace manyply
