// Finds the rules of chess that an engine breaks. Uses the moves that the engine misses, invents or
// miscounts in one position, and the moves that led to this position.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/line.h"
#include "tools/diagnose/cause_texts.h"

namespace manyply {

// The reason why a program lists an illegal move or misses a legal one. Only the position and the
// moves that led to it are used.

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
/// attacks on squares of the king's way. Returns nullopt if no piece attacks, if one of the
/// attackers is the king, or if `castling` is illegal without them.
[[nodiscard]] std::optional<Relieved> without_attack_beside(const Line& line, Move castling);
/// Returns a position in which no piece gives check or pins the moving piece, and `missed` is
/// legal. Makes these attempts in order: removes the pieces that give check or pin at the end of
/// `line`; replaces them by knights, bishops or rooks; removes all pieces except the kings and the
/// moving piece. Returns nullopt if all attempts fail.
[[nodiscard]] std::optional<Relieved> without_check_and_pin(const Line& line, Move missed);

// All differences in one position.

struct CountDifference {
  std::string move;
  NodeCount ours;
  NodeCount engine;
  /// If not empty, `move` is a promotion without its piece. The count may belong to any of these
  /// promotions.
  std::vector<std::string> could_be{};
};

/// Promotions of one pawn to one square. The engine lists them without the piece, two or three
/// times instead of four.
struct FewPromotions {
  std::string move;  ///< "g2g1"
  std::vector<NodeCount> counts;
  /// The promotions whose right counts are in `counts`. If there are fewer of them than counts, all
  /// four promotions.
  std::vector<std::string> could_be;
};

/// An engine's answer about one position, compared with the right answer.
struct Observation {
  std::vector<Move> missed{};           ///< legal moves that the engine does not list
  std::vector<std::string> invented{};  ///< illegal moves that the engine lists
  std::vector<std::string> repeated{};  ///< moves that the engine lists more than once
  std::vector<FewPromotions> few{};
  /// Legal moves with a wrong count: at depth 1 all of them; at greater depths only the moves whose
  /// right count is 0.
  std::vector<CountDifference> counts{};
  bool lists_nothing = false;
  /// Whether the engine is right when it gets the same position as a FEN; nullopt if unknown.
  std::optional<bool> right_as_fen{};
};

/// One cause of differences, and all the moves that show it.
struct Finding {
  Cause cause = Cause::kUnknown;
  std::string detail{};  ///< about the first of `moves`: "f1 is attacked by the bishop on b5"
  /// Empty if the whole answer is for another question, or if only totals were compared.
  std::vector<std::string> moves{};
};

/// Returns the causes of the differences in `observation`, an answer about the end of `line`. The
/// finding with the most moves comes first. Each difference is in exactly one finding.
[[nodiscard]] std::vector<Finding> diagnose(const Line& line, const Observation& observation);

/// Returns a reason why a search might treat the end of `line` as drawn: too few pieces, a
/// repetition, or the fifty-move rule. Returns an empty text if no reason applies.
[[nodiscard]] std::string draw_reason(const Line& line);

/// Returns a reason why no game can reach this position; empty if none is found. Examines only the
/// checks and the number of pieces.
[[nodiscard]] std::string unreachable_reason(const Position& position);

// General causes. A general cause explains special causes. For example, a generator without
// capturing promotions also lacks the capturing promotions of pinned pawns.

/// A simple position with a move. The move shows whether a generator knows a rule at all.
struct Probe {
  const char* fen;
  const char* moves;  ///< the moves that lead from `fen` to the position
  const char* move;
  bool listed;  ///< whether a generator with the general fault lists `move`
};

struct GeneralCause {
  Cause general;
  std::vector<Cause> special;  ///< causes that may be cases of `general`
  /// Positions that must all show the general fault. If there are none, the engine is not asked.
  std::vector<Probe> probes;
  /// Returns whether the general fault can be the reason why this move is missed or invented. If
  /// null, the fault can be the reason for any move.
  bool (*is_about)(const Position& position, const std::string& move) = nullptr;
};

/// Returns all general causes, in the order in which they are tried as an explanation.
[[nodiscard]] std::span<const GeneralCause> general_causes();

/// Returns whether `cause`, which was found earlier, explains `finding` at the end of `line`.
[[nodiscard]] bool explains(Cause cause, const Finding& finding, const Line& line);

/// Returns whether `finding` at the end of `line` may be a case of `general`.
[[nodiscard]] bool may_be(const GeneralCause& general, const Finding& finding, const Line& line);

/// If one finding explains another, adds the moves of the explained finding to the finding that
/// explains it. Then removes the explained finding.
void merge_explained(std::vector<Finding>& findings, const Line& line);

}  // namespace manyply
