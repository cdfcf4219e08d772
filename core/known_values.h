// Published perft values. Jobs compare every total with them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "core/position.h"

namespace manyply {

enum class KnownVerdict { kUnknown, kMatch, kMismatch };
[[nodiscard]] std::string_view to_string(KnownVerdict verdict);  ///< "unknown", "match", "mismatch"
/// Returns the verdict whose to_string() is `name`; kUnknown for any other text.
[[nodiscard]] KnownVerdict known_verdict(std::string_view name);

/// Returns the published count of `position` at `depth`; nullopt if no count was published. Returns
/// 1 at depth 0 for every position.
[[nodiscard]] std::optional<NodeCount> known_value(const Position& position, Depth depth);

/// Returns all positions with published counts. The start position is the first.
[[nodiscard]] std::span<const EpdRecord> published_positions();

/// Compares a count with the published count. Returns kUnknown if `known` is empty.
[[nodiscard]] KnownVerdict compare_with_known(std::optional<NodeCount> known, NodeCount nodes);

/// Returns the published number of distinct positions `depth` plies below `position`; nullopt if no
/// number was published. Returns 1 at depth 0 for every position.
[[nodiscard]] std::optional<NodeCount> known_distinct(const Position& position, Depth depth);

}  // namespace manyply
