// Formats the output of `perft diff` for a pasted divide, in the same words as the page
// (../web/render.js).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"

namespace manyply {

/// Returns whether all listed rows agree, but some moves may have been lost while copying.
[[nodiscard]] bool is_incomplete(const nlohmann::ordered_json& document);

/// Formats `document`, a diff_document() of the divide at `depth`. Wraps sentences to `columns`; 0
/// = no wrapping.
[[nodiscard]] std::string diff_text(const nlohmann::ordered_json& document, const Line& line,
                                    Depth depth, int columns);

/// Returns "All 48 moves agree at depth 2.".
[[nodiscard]] std::string agreement_text(const nlohmann::ordered_json& document, Depth depth);

}  // namespace manyply
