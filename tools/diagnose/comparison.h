// An engine's divide laid beside ours.
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
    std::optional<NodeCount> engine;  ///< nothing if the engine does not list the move
    /// Not empty: the engine names no piece, and its count may as well be that of another of these
    /// promotions, this one among them.
    std::vector<Move> could_be{};
  };
  std::vector<Row> rows;              ///< of the legal moves
  std::vector<std::string> invented;  ///< listed, and not legal; ascending
  std::vector<std::string> repeated;  ///< listed more than once; each time but the first
  std::vector<FewPromotions> few;     ///< two or three where four should be
  bool lists_nothing = false;

  [[nodiscard]] bool same_moves() const;
  [[nodiscard]] bool agrees() const;
  /// A move without any reply, behind which the engine counts something all the same.
  [[nodiscard]] bool has_dead_end() const;
  /// Rows where to go down, since the difference lies deeper; the cheapest subtree first.
  [[nodiscard]] std::vector<Row> wrong_below() const;
};

/// `theirs` with the pieces of its promotions: those that stand there four times as two squares are
/// those to the four pieces, by their counts; what is left of them gets the pieces that are left.
/// Its rows become unread where numbers stand beside its counts that only the numbers themselves
/// tell from counts, and where these do not look like ours: then neither may be the counts.
[[nodiscard]] EngineAnswer settled(EngineAnswer theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours);

/// `ours` are all legal moves of `line`'s position, of which `theirs` was read. Precondition:
/// nothing in `theirs` is unread.
[[nodiscard]] Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                                 const EngineAnswer& theirs);

/// What `compared`, the answers of `depth` plies, shows of this position's own moves; nothing if
/// the difference, if there is one, lies deeper.
[[nodiscard]] std::optional<Observation> observe(const Line& line, Depth depth,
                                                 const Comparison& compared);

/// Checks a wrong answer of `program` that neither a total nor another mark ends: it may be cut
/// off, or begin with the rest of the answer before. Asks for the moves of `line` at depth 1 and
/// returns an error if a legal move stands only there, or an illegal one only in `answer`.
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
