// Why a move of one position is wrongly there, or wrongly missing: decided on the board.
#pragma once

#include <optional>
#include <string>

#include "core/line.h"
#include "tools/diagnose/broken_rules.h"

namespace manyply {

struct Verdict {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< "f1 is attacked by the bishop on b5"
};

/// Judges `move`, in UCI, which the program lists although it is illegal at the end of `line`.
[[nodiscard]] Verdict judge_invented(const Line& line, const std::string& move);

/// Judges `move`, which the program does not list although it is legal at the end of `line`.
/// `right_as_fen`: the program lists it if it gets the position as a FEN.
[[nodiscard]] Verdict judge_missed(const Line& line, Move move, bool right_as_fen);

/// A position without the pieces that may be the reason why a move is missing.
struct Relieved {
  std::string pieces;  ///< "the rook on b8"
  Line line;           ///< without them; the move is legal there, too
};
/// Returns the position without the pieces that attack squares which `castling` needs and the king
/// does not pass; nullopt without such pieces, or if castling is illegal then.
[[nodiscard]] std::optional<Relieved> without_attack_beside(const Line& line, Move castling);
/// Returns the position without the pieces that give check or pin the moving piece, or with
/// harmless ones in their place; if `missed` is illegal there, the position with only the kings and
/// the moving piece. nullopt if `missed`, a legal move, is illegal in that one, too.
[[nodiscard]] std::optional<Relieved> without_check_and_pin(const Line& line, Move missed);

}  // namespace manyply
