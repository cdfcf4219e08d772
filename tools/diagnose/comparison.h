// Compares an engine's divide with ours, move by move.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/engine/engine_protocol.h"
#include "tools/text/engine_answer.h"

namespace manyply {

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
  /// Promotions that the engine lists without their piece, in two or three rows instead of four.
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
/// four times without its piece, each of these rows gets the piece for which our divide has the
/// same count. Rows for which no such piece is left get the remaining pieces.
///
/// If the rows contain other numbers that may be the counts, and the numbers that were read as
/// counts do not look like our counts, the result reports all rows as unread.
[[nodiscard]] EngineAnswer settled(EngineAnswer theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours);

/// Compares `theirs` with `ours`. `ours` is the divide of all legal moves at the end of `line`.
/// If `theirs` has unread lines, the result proves no fault.
[[nodiscard]] Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                                 const EngineAnswer& theirs);

/// Returns what `compared` shows about the moves at the end of `line`. `compared` is a comparison
/// of two divides of `depth` plies. Returns nullopt if the divides agree, or if all differences
/// come from deeper positions. The latter is so if the depth is at least 2, both divides have the
/// same moves, and the right count of each wrongly counted move is not 0.
[[nodiscard]] std::optional<Observation> observe(const Line& line, Depth depth,
                                                 const Comparison& compared);

/// Checks whether `answer`, a wrong answer of `program`, is incomplete. Returns nullopt if it is
/// certainly complete (see EngineAnswer::ended). Any other answer may be cut off, or may begin with
/// the end of the previous answer. So the function asks the program once more, at depth 1. Returns
/// an error if the new answer has a legal move that `answer` lacks, if `answer` has an illegal move
/// that the new answer lacks, or if the program fails.
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

}  // namespace manyply
