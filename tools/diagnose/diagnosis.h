// Compares an engine's divide of one position with ours, and finds the rules of chess that the
// engine breaks. Uses the moves that the engine misses, invents or miscounts in this position, and
// the moves that led to it.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/counting.h"
#include "core/line.h"
#include "tools/diagnose/cause_texts.h"
#include "tools/engine/engine_protocol.h"
#include "tools/text/engine_answer.h"

namespace manyply {

// The reason why a program lists an illegal move or misses a legal one. Only the position and the
// moves that led to it are used.

struct Verdict {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< "f1 is attacked by the bishop on b5"
};

/// Judges `move`, which is in UCI notation and which the program lists at the end of `line`. Says
/// why the move is illegal. Returns kUnknown if the move is legal.
[[nodiscard]] Verdict judge_invented(const Line& line, const std::string& move);

/// Judges `move`, a legal move at the end of `line` that the program does not list. `right_as_fen`
/// says whether the program lists `move` if it gets the FEN of the position without earlier moves.
[[nodiscard]] Verdict judge_missed(const Line& line, Move move, bool right_as_fen);

/// A position in which some pieces were removed or replaced. These pieces may be the reason for a
/// missing move.
struct Relieved {
  std::string pieces;  ///< "the rook on b8"; "the other pieces" if nearly all were removed
  Line line;           ///< position without `pieces`; the missing move is legal there, too
};
/// Returns the position without the enemy pieces that attack the castling rook or a square that the
/// rook passes. Ignores squares that the king also passes or reaches. Returns nullopt if there are
/// no such attackers, if the enemy king is one of them, or if `castling` is illegal without them.
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
  /// The promotions to which the count may belong; empty if only one move is possible. If this list
  /// is not empty, `move` has no promotion piece: "g2g1".
  std::vector<std::string> could_be{};
};

/// Promotions of one pawn to one square. The engine lists them without the piece, two or three
/// times instead of four.
struct FewPromotions {
  std::string move;  ///< "g2g1"
  std::vector<NodeCount> counts;
  /// The promotions that the engine may have listed: each promotion whose right count is in
  /// `counts`. If fewer than counts.size() promotions have such a count, all four promotions.
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
  /// Whether the engine lists the right moves if it gets this position's FEN without earlier moves.
  /// Is nullopt if unknown.
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

// Compares a program's divide with ours, move by move.

struct Comparison {
  struct Row {
    Move move;
    NodeCount ours;
    std::optional<NodeCount> engine;  ///< nullopt if the engine does not list the move
    /// The promotions to which the count may belong, including `move`. Empty if only `move` is
    /// possible. Several promotions are possible only if the engine lists promotions without naming
    /// the piece.
    std::vector<Move> could_be{};

    [[nodiscard]] bool agrees() const { return engine == ours; }
  };
  std::vector<Row> rows;              ///< one row for each legal move
  std::vector<std::string> invented;  ///< illegal moves that the engine lists, ascending
  /// Moves that the engine lists more than once. A move that has n rows has n - 1 entries here.
  std::vector<std::string> repeated;
  /// Promotions that the engine lists without their piece, and only two or three times: "g2g1"
  /// twice, for example, instead of "g2g1q", "g2g1r", "g2g1b" and "g2g1n".
  std::vector<FewPromotions> few;
  bool lists_nothing = false;  ///< the engine's answer has no rows

  /// Returns whether the engine lists all legal moves, each once, and no other moves.
  [[nodiscard]] bool same_moves() const;
  /// Returns whether same_moves() is true and all counts are equal.
  [[nodiscard]] bool agrees() const;
  /// Returns the rows in which the counts differ and our count is not 0. The row in which our count
  /// is smallest comes first.
  [[nodiscard]] std::vector<Row> wrong_below() const;
};

/// Returns `theirs` with the promotion pieces filled in. If the engine lists a promotion at least
/// four times without its piece, these rows get different pieces. If our count for a piece equals
/// the count of a row, the row gets this piece. The other rows get the pieces that are left.
///
/// The rows may have other numbers that could be the counts (see has_other_numbers). The result
/// then reports all rows as unread, unless at least half of the chosen numbers are near our counts.
[[nodiscard]] EngineAnswer settled(EngineAnswer theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours);

/// Compares `theirs` with `ours`. `ours` is the divide of all legal moves at the end of `line`.
/// If `theirs` has unread lines, the result proves no fault.
[[nodiscard]] Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                                 const EngineAnswer& theirs);

/// Returns what `compared` shows about the moves at the end of `line`. `compared` is a comparison
/// of two divides of `depth` plies. Returns nullopt if the divides agree. At depth 2 or more, also
/// returns nullopt if the divides have the same moves, and differ only in counts whose right value
/// is greater than 0. Only deeper positions can explain such differences.
[[nodiscard]] std::optional<Observation> observe(const Line& line, Depth depth,
                                                 const Comparison& compared);

/// Checks whether `answer`, a wrong answer of `program`, is incomplete. Returns nullopt if it is
/// certainly complete (see EngineAnswer::ended). Otherwise asks the program for its moves once
/// more, at depth 1. Returns an error in three cases:
/// - The program now lists a legal move that `answer` lacks. So `answer` may have been cut off.
/// - `answer` lists an illegal move that the program no longer lists. Part of an earlier output may
///   have been read as part of `answer`.
/// - The program fails.
[[nodiscard]] std::optional<Error> incomplete_answer(AskedProgram& program, const Line& line,
                                                     Depth depth, const EngineAnswer& answer);

/// Returns the legal moves of `position`, or of the position at the end of `line`, in UCI notation.
[[nodiscard]] std::set<std::string> legal_texts(const Position& position,
                                                CastlingNotation notation);
[[nodiscard]] std::set<std::string> legal_texts(const Line& line);

/// Returns the moves that the engine lists, legal or not, as text.
[[nodiscard]] std::set<std::string> listed_texts(const Line& line, const Comparison& compared);

/// Returns the line as text: "FEN moves e2e4 e7e5"; only the FEN if the line has no moves.
[[nodiscard]] std::string told(const Line& line);

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
  /// Test positions. An engine has the general fault only if all of them show the fault. If there
  /// are none, the engine is not asked.
  std::vector<Probe> probes;
  /// Returns whether an engine with the general fault may miss or invent `move`. If this pointer is
  /// null, the fault may concern any move.
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
