// Finds the reason why a program lists an illegal move or misses a legal one. Uses only the
// position and the moves that led to it.
#pragma once

#include <optional>
#include <string>

#include "core/line.h"
#include "tools/diagnose/cause_texts.h"

namespace manyply {

struct Verdict {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< "f1 is attacked by the bishop on b5"
};

/// Judges `move`, which is in UCI notation. The program lists this move although it is illegal at
/// the end of `line`. Returns kUnknown if the move is legal.
[[nodiscard]] Verdict judge_invented(const Line& line, const std::string& move);

/// Judges `move`. The program does not list this move although it is legal at the end of `line`.
/// `right_as_fen` says whether the program lists the move when it gets the same position as a FEN.
[[nodiscard]] Verdict judge_missed(const Line& line, Move move, bool right_as_fen);

/// A position in which some pieces were removed or replaced. These pieces may be the reason for a
/// missing move.
struct Relieved {
  std::string pieces;  ///< "the rook on b8"; "the other pieces" if nearly all were removed
  Line line;           ///< position without `pieces`; the missing move is legal there, too
};
/// Returns the position without the enemy pieces that attack the rook's square or way. Ignores
/// attacks on squares of the king's way. Returns nullopt if there are no such pieces, if one of
/// them is the king, or if `castling` is illegal without them.
[[nodiscard]] std::optional<Relieved> without_attack_beside(const Line& line, Move castling);
/// Returns a position in which no piece gives check or pins the moving piece, and `missed` is
/// legal. Makes these attempts in order: removes the pieces that give check or pin at the end of
/// `line`; replaces them by knights, bishops or rooks; removes all pieces except the kings and the
/// moving piece. Returns nullopt if all attempts fail.
[[nodiscard]] std::optional<Relieved> without_check_and_pin(const Line& line, Move missed);

}  // namespace manyply
