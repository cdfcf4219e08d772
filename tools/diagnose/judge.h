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

/// A position without the pieces that may be the reason why a move is missing.
struct Relieved {
  std::string pieces;  ///< "the rook on b8"
  Line line;           ///< without them; the move is legal there, too
};
/// Returns the position without the pieces that attack squares which `castling` needs and the king
/// does not pass; nullopt if there are none, or if castling is illegal without them.
[[nodiscard]] std::optional<Relieved> without_attack_beside(const Line& line, Move castling);
/// Returns the position without the pieces that give check or pin the moving piece; nullopt if
/// there are none, or if the legal move `missed` is illegal without them. Harmless pieces stand in
/// their place if the move needs them there.
[[nodiscard]] std::optional<Relieved> without_check_and_pin(const Line& line, Move missed);

}  // namespace manyply
