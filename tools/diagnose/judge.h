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

/// Pieces that attack squares which castling needs and the king does not pass.
struct AttackBeside {
  std::string pieces;  ///< "the rook on b8"
  Line without;        ///< the position without these pieces; castling is legal there, too
};
/// Returns the attack beside the legal move `castling`; nullopt if there is none, or if castling is
/// illegal without its pieces.
[[nodiscard]] std::optional<AttackBeside> attack_beside(const Line& line, Move castling);

}  // namespace manyply
