// Kinds of moves that programs have separate code for, where keys are concerned.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/diagnose/keys/key_position.h"

namespace manyply {

enum class MoveClass : std::uint8_t {
  kQuiet,
  kDoublePush,      ///< nobody can capture there
  kCapturablePush,  ///< a double step that may be captured en passant
  kCapture,
  kEnPassant,
  kCastling,
  kPromotion,
  kCapturingPromotion,
  kKingLosesRights,  ///< a king's move, but for castling
  kRookLosesRight,
  kRookCaptured,  ///< in its corner, with a right
  kUnderpromotion,
};
inline constexpr std::size_t kMoveClasses = 12;

/// "double pushes that can be captured".
[[nodiscard]] std::string_view name_of(MoveClass kind);

/// What the move is: one of the first eight, and any of the others.
[[nodiscard]] std::vector<MoveClass> classes_of(const KeyPosition& before, Move move,
                                                const KeyPosition& after);

}  // namespace manyply
