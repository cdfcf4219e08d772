// What `perft bisect` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnose/bisect.h"

namespace manyply {

/// One difference, for people: moves, FEN, board, what is missed and invented, the rules broken.
/// Sentences are broken between words so that lines fit into `columns`; 0 = they are not broken.
[[nodiscard]] std::string difference_text(const Difference& difference, int columns);

/// `{"name": …, "rule": …, "detail": …, "moves": […]}`
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);

[[nodiscard]] nlohmann::ordered_json difference_json(const Difference& difference);

/// What was asked, and the lines of the answer that were not understood, as printed.
[[nodiscard]] std::string not_understood_text(const NotUnderstood& question, int columns);

[[nodiscard]] nlohmann::ordered_json not_understood_json(const NotUnderstood& question);

/// Lines that stand beside a total that was compared alone; empty if there are none.
[[nodiscard]] std::string passed_over_text(const std::vector<UnreadLine>& lines, int columns);
/// `[{"text": …, "why": …}, …]`
[[nodiscard]] nlohmann::ordered_json unread_json(const std::vector<UnreadLine>& lines);

}  // namespace manyply
