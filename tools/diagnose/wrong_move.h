// Finds the reason why a program lists an illegal move or misses a legal one, from the position
// only.
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
/// `right_as_fen`: the program lists the move if it gets the same position as a FEN.
[[nodiscard]] Verdict judge_missed(const Line& line, Move move, bool right_as_fen);

/// A position from which the pieces that may be the reason for a missing move were removed.
struct Relieved {
  std::string pieces;  ///< "the rook on b8"
  Line line;           ///< the position without `pieces`; the move is legal there, too
};
/// Returns the position without the enemy pieces that attack castling squares which the king does
/// not pass; nullopt if there are none, or if `castling` is illegal without them.
[[nodiscard]] std::optional<Relieved> without_attack_beside(const Line& line, Move castling);
/// Returns the position in which the pieces that give check or pin the moving piece are removed or
/// replaced by harmless ones. If `missed` is illegal there, returns the position with only the
/// kings and the moving piece; nullopt if `missed` is illegal there, too.
[[nodiscard]] std::optional<Relieved> without_check_and_pin(const Line& line, Move missed);

}  // namespace manyply
