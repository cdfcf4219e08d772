// Published perft values, recomputed, built in: every total is compared with them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/epd.h"
#include "core/node_count.h"
#include "core/position.h"

namespace manyply {

enum class KnownVerdict { kUnknown, kMatch, kMismatch };
[[nodiscard]] std::string_view to_string(KnownVerdict verdict);  ///< "unknown", "match", "mismatch"
/// Back from its name; kUnknown from any other text.
[[nodiscard]] KnownVerdict known_verdict(std::string_view name);

/// The published count of `position` at `depth`, if there is one.
[[nodiscard]] std::optional<NodeCount> known_value(const Position& position, Depth depth);

/// The positions with their counts, that of the start first.
[[nodiscard]] std::span<const EpdRecord> published_positions();

/// How a count stands to the published one, if there is one.
[[nodiscard]] KnownVerdict compare_with_known(std::optional<NodeCount> known, NodeCount nodes);

/// The published number of distinct positions `depth` plies below `position`, if there is one.
[[nodiscard]] std::optional<NodeCount> known_distinct(const Position& position, Depth depth);

}  // namespace manyply
