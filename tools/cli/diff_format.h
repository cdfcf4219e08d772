// What `perft diff` prints of a pasted divide, in the words of the page (../web/render.js).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"

namespace manyply {

/// Whether nothing differs but that moves may have been lost on the way.
[[nodiscard]] bool is_incomplete(const nlohmann::ordered_json& document);

/// `document` is a diff_document() of the divide at `depth`. Sentences are broken between words so
/// that lines fit into `columns`; 0 = they are not broken.
[[nodiscard]] std::string diff_text(const nlohmann::ordered_json& document, const Line& line,
                                    Depth depth, int columns);

/// "All 48 moves agree at depth 2."
[[nodiscard]] std::string agreement_text(const nlohmann::ordered_json& document, Depth depth);

}  // namespace manyply
