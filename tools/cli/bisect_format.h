// Formats the output of `perft bisect`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnose/bisect.h"

namespace manyply {

/// Returns the description of one difference: moves, FEN, board, missing and extra moves, the rules
/// broken. Wraps sentences to `columns`; 0 = no wrapping.
[[nodiscard]] std::string difference_text(const Difference& difference, int columns);

/// Returns `{"name": …, "rule": …, "detail": …, "moves": […]}`.
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);

/// Returns a difference as JSON, with the same facts as difference_text().
[[nodiscard]] nlohmann::ordered_json difference_json(const Difference& difference);

/// Returns the question and the lines of the answer that were not understood, as printed.
[[nodiscard]] std::string not_understood_text(const NotUnderstood& question, int columns);

/// Returns the same as JSON.
[[nodiscard]] nlohmann::ordered_json not_understood_json(const NotUnderstood& question);

/// Returns the lines beside a total that were ignored because only the total was compared; empty if
/// none were.
[[nodiscard]] std::string passed_over_text(const std::vector<UnreadLine>& lines, int columns);
/// Returns `[{"text": …, "why": …}, …]`.
[[nodiscard]] nlohmann::ordered_json unread_json(const std::vector<UnreadLine>& lines);

}  // namespace manyply
