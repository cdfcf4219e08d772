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
  /// If this is not empty, `move` names no piece, and its count may be that of any of these.
  std::vector<std::string> could_be{};
};

/// Promotions of one pawn to one square that are listed without a piece, fewer than four of them.
struct FewPromotions {
  std::string move;  ///< "g2g1"
  std::vector<NodeCount> counts;
  std::vector<std::string> could_be;  ///< the moves that have one of these counts, or all four
};

/// An engine's answer about one position, compared with the correct one.
struct Observation {
  std::vector<Move> missed{};           ///< legal moves that it does not list
  std::vector<std::string> invented{};  ///< moves that it lists and that are not legal
  std::vector<std::string> repeated{};  ///< moves that it lists more than once
  std::vector<FewPromotions> few{};
  std::vector<CountDifference>
      counts{};  ///< wrong counts behind legal moves, where the search ends
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

/// Returns findings, those with most moves first. Every difference is in exactly one of them.
[[nodiscard]] std::vector<Finding> diagnose(const Line& line, const Observation& observation);

/// Returns a reason why a search might treat this position as drawn: too few pieces, a repetition,
/// or fifty moves; empty if none applies.
[[nodiscard]] std::string draw_reason(const Line& line);

/// Returns a reason why no game reaches this position, as far as its checks and its number of
/// pieces show; empty if they show none.
[[nodiscard]] std::string unreachable_reason(const Position& position);

// Which cause explains others: a generator without capturing promotions lacks those of pinned
// pawns, too.

/// A position without anything special, and a move that tells there whether a rule is known at all.
struct Probe {
  const char* fen;
  const char* moves;
  const char* move;
  bool listed;  ///< whether the general fault lists it
};

struct GeneralCause {
  Cause general;
  std::vector<Cause> special;  ///< what the general one may look like
  std::vector<Probe> probes;   ///< the general one shows in all of them
  /// Whether the general one can be about this move, missed or invented; nullptr: about any.
  bool (*is_about)(const Position& position, const std::string& move) = nullptr;
};

/// The most general ones first.
[[nodiscard]] std::span<const GeneralCause> general_causes();

/// Whether `cause`, found before, explains `finding` of `line`'s position.
[[nodiscard]] bool explains(Cause cause, const Finding& finding, const Line& line);

/// Whether `finding` may be a case of `general`.
[[nodiscard]] bool may_be(const GeneralCause& general, const Finding& finding, const Line& line);

/// Adds the moves of findings to those that explain them.
void merge_explained(std::vector<Finding>& findings, const Line& line);

}  // namespace manyply
