// Finds the rule of chess that an engine breaks, from the moves that it misses and invents in one
// position, and from the moves that led to it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/line.h"
#include "tools/diagnose/broken_rules.h"

namespace manyply {

struct CountDifference {
  std::string move;
  NodeCount ours;
  NodeCount engine;
  /// If not empty: `move` is a promotion without its piece, and the count may be that of any of
  /// these.
  std::vector<std::string> could_be{};
};

/// Promotions of one pawn to one square, listed without the piece and fewer than four times.
struct FewPromotions {
  std::string move;  ///< "g2g1"
  std::vector<NodeCount> counts;
  std::vector<std::string> could_be;  ///< the promotions with these counts, or else all four
};

/// An engine's answer about one position, compared with the correct one.
struct Observation {
  std::vector<Move> missed{};           ///< legal moves that the engine does not list
  std::vector<std::string> invented{};  ///< illegal moves that the engine lists
  std::vector<std::string> repeated{};  ///< moves that the engine lists more than once
  std::vector<FewPromotions> few{};
  std::vector<CountDifference> counts{};  ///< wrong counts of legal moves that have no deeper cause
  bool lists_nothing = false;
  /// True if the engine is right about the same position as a FEN; nullopt if that is unknown.
  std::optional<bool> right_as_fen{};
};

/// One rule and all the moves that break it.
struct Finding {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< about the first of the moves, "f1 is attacked by the bishop on b5"
  std::vector<std::string> moves;
};

/// Returns the findings, those with the most moves first. Each difference is in exactly one
/// finding.
[[nodiscard]] std::vector<Finding> diagnose(const Line& line, const Observation& observation);

/// Returns a reason why a search might treat this position as drawn: too few pieces, a repetition,
/// or fifty moves; empty if none applies.
[[nodiscard]] std::string draw_reason(const Line& line);

/// Returns a reason why no game can reach this position; empty if none is found. Examines only the
/// checks and the number of pieces.
[[nodiscard]] std::string unreachable_reason(const Position& position);

// General causes, which explain special ones: a generator without capturing promotions also lacks
// those of pinned pawns.

/// A simple position, and a move in it that shows whether a generator knows a rule at all.
struct Probe {
  const char* fen;
  const char* moves;
  const char* move;
  bool listed;  ///< whether a generator with the general fault lists `move`
};

struct GeneralCause {
  Cause general;
  std::vector<Cause> special;  ///< causes that may be cases of `general`
  std::vector<Probe> probes;   ///< all of them must show the general fault
  /// Returns whether the general fault can concern this missed or invented move; nullptr: it can
  /// concern any move.
  bool (*is_about)(const Position& position, const std::string& move) = nullptr;
};

/// Returns all general causes, the most general first.
[[nodiscard]] std::span<const GeneralCause> general_causes();

/// Returns whether `cause`, found earlier, explains `finding` at the end of `line`.
[[nodiscard]] bool explains(Cause cause, const Finding& finding, const Line& line);

/// Returns whether `finding` at the end of `line` may be a case of `general`.
[[nodiscard]] bool may_be(const GeneralCause& general, const Finding& finding, const Line& line);

/// Merges each finding that another one explains into that one.
void merge_explained(std::vector<Finding>& findings, const Line& line);

}  // namespace manyply
