// Which cause explains others: a generator without capturing promotions lacks those of pinned
// pawns, too.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tools/diagnose/diagnosis.h"

namespace manyply {

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
