// Why a move of one position is wrongly there, or wrongly missing: decided on the board.
#pragma once

#include <optional>
#include <string>

#include "core/line.h"
#include "tools/diagnose/cause.h"

namespace manyply {

struct Verdict {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< "f1 is attacked by the bishop on b5"
};

/// `move`, in UCI, is none of `line`'s end, though somebody lists it.
[[nodiscard]] Verdict judge_invented(const Line& line, const std::string& move);

/// `move` is legal at `line`'s end, though somebody does not list it; `right_as_fen`: but does when
/// the position is given as a FEN.
[[nodiscard]] Verdict judge_missed(const Line& line, Move move, bool right_as_fen);

/// Castling is legal at `line`'s end, and pieces attack squares beside the king's way.
struct AttackBeside {
  std::string pieces;  ///< "the rook on b8"
  Line without;        ///< the same position without them: castling is legal there, too
};
/// nullopt if no such piece is there, or if castling cannot be tried without it.
[[nodiscard]] std::optional<AttackBeside> attack_beside(const Line& line, Move castling);

}  // namespace manyply
