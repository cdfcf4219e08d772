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
  };
  std::vector<Row> rows;              ///< one row for each legal move
  std::vector<std::string> invented;  ///< illegal moves that the engine lists, ascending
  /// Moves that the engine lists more than once. A move that has n rows has n - 1 entries here.
  std::vector<std::string> repeated;
  /// Promotions for which the engine has two or three rows, not four.
  std::vector<FewPromotions> few;
  bool lists_nothing = false;

  [[nodiscard]] bool same_moves() const;
  [[nodiscard]] bool agrees() const;
  /// Returns whether a move has the count 0 in our divide, but not in the engine's.
  [[nodiscard]] bool has_dead_end() const;
  /// Returns the rows in which the counts differ and our count is not 0. The row with the smallest
  /// subtree comes first.
  [[nodiscard]] std::vector<Row> wrong_below() const;
};

/// Returns `theirs` with the promotion pieces filled in. If the engine lists a promotion four times
/// without its piece, each row gets the piece for which our divide has the same count as the row.
/// The remaining rows get the remaining pieces.
///
/// If the rows contain other numbers that may be the counts, and the chosen numbers do not look
/// like our counts, the result reports all rows as unread.
[[nodiscard]] EngineAnswer settled(EngineAnswer theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours);

/// Compares `theirs` with `ours`. `ours` is the divide of all legal moves at the end of `line`.
/// Precondition: nothing in `theirs` is unread.
[[nodiscard]] Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                                 const EngineAnswer& theirs);

/// Returns what `compared`, a comparison of two divides of `depth` plies, shows about the moves at
/// the end of `line`. Returns nullopt if the divides agree, or if all differences are in deeper
/// positions.
[[nodiscard]] std::optional<Observation> observe(const Line& line, Depth depth,
                                                 const Comparison& compared);

/// Checks a wrong answer of `program` that ends without a total or another mark. Such an answer may
/// be cut off, or may begin with the end of the previous answer. Asks for the moves of `line` at
/// depth 1. Returns an error in two cases: the list at depth 1 has a legal move that `answer`
/// lacks; or `answer` has an illegal move that the list at depth 1 lacks.
[[nodiscard]] std::optional<Error> incomplete_answer(AskedProgram& program, const Line& line,
                                                     Depth depth, const EngineAnswer& answer);

/// Returns the legal moves of `position`, or at the end of `line`, as text.
[[nodiscard]] std::set<std::string> legal_texts(const Position& position,
                                                CastlingNotation notation);
[[nodiscard]] std::set<std::string> legal_texts(const Line& line);

/// Returns the moves that the engine lists, legal or not, as text.
[[nodiscard]] std::set<std::string> listed_texts(const Line& line, const Comparison& compared);

/// Returns the line as text: "FEN moves e2e4".
[[nodiscard]] std::string told(const Line& line);

}  // namespace manyply
