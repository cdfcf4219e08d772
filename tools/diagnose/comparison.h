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
    /// If the engine lists promotions without the piece, and it is unclear which one the count
    /// belongs to: all possible promotions, including `move`. Otherwise empty.
    std::vector<Move> could_be{};
  };
  std::vector<Row> rows;              ///< of the legal moves
  std::vector<std::string> invented;  ///< illegal moves that the engine lists, ascending
  std::vector<std::string> repeated;  ///< each repetition of a move, without its first row
  std::vector<FewPromotions> few;     ///< two or three rows for four promotions
  bool lists_nothing = false;

  [[nodiscard]] bool same_moves() const;
  [[nodiscard]] bool agrees() const;
  /// Returns whether the engine counts paths after a move after which no path of this depth exists.
  [[nodiscard]] bool has_dead_end() const;
  /// Returns the rows whose counts differ and are not 0 in our divide, the smallest subtree first.
  [[nodiscard]] std::vector<Row> wrong_below() const;
};

/// Returns `theirs` with the promotion pieces filled in. If the engine lists a promotion four times
/// without its piece, each row gets the piece whose count it has; rows without such a piece get the
/// remaining pieces.
///
/// If the rows have other numbers that may be the counts, and the chosen numbers do not look like
/// our counts, all rows become unread.
[[nodiscard]] EngineAnswer settled(EngineAnswer theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours);

/// Returns the comparison of `theirs` with `ours`, the divide of all legal moves at the end of
/// `line`. Precondition: nothing in `theirs` is unread.
[[nodiscard]] Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                                 const EngineAnswer& theirs);

/// Returns what `compared`, two divides of `depth` plies, shows about the moves of this position;
/// nullopt if there is no difference or only deeper ones.
[[nodiscard]] std::optional<Observation> observe(const Line& line, Depth depth,
                                                 const Comparison& compared);

/// Checks a wrong answer of `program` that ends without a total or another mark. Such an answer may
/// be cut off, or begin with the end of the previous answer. Asks for the moves of `line` at depth
/// 1. Returns an error if this list has a legal move that `answer` lacks, or lacks an illegal move
/// of `answer`.
[[nodiscard]] std::optional<Error> incomplete_answer(AskedProgram& program, const Line& line,
                                                     Depth depth, const EngineAnswer& answer);

/// Returns the legal moves of `position`, or of `line`'s end, as text.
[[nodiscard]] std::set<std::string> legal_texts(const Position& position,
                                                CastlingNotation notation);
[[nodiscard]] std::set<std::string> legal_texts(const Line& line);

/// Returns the moves that the engine lists, legal or not, as text.
[[nodiscard]] std::set<std::string> listed_texts(const Line& line, const Comparison& compared);

/// Returns the line as text: "FEN moves e2e4".
[[nodiscard]] std::string told(const Line& line);

}  // namespace manyply
