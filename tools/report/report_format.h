// Formats a finished count as a document, text, CSV, EPD or Stockfish's output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "parallel/jobs/job.h"
#include "tools/report/format.h"

namespace manyply {

/// Returns the document of `report` for `root` at `depth`.
[[nodiscard]] std::string count_document(const Report& report, const Line& root, Depth depth);

// These return the complete output, including the last line end, and throw if the document is
// invalid.

[[nodiscard]] std::string count_text(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// These accept every document with the members "nodes" and "divide".

[[nodiscard]] std::string divide_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);
[[nodiscard]] std::string divide_as_stockfish(const nlohmann::ordered_json& document,
                                              const Presentation& how);
[[nodiscard]] std::string count_epd(const nlohmann::ordered_json& document,
                                    const Presentation& how);
/// Returns the root moves and their counts. kInvalidInput if the document lists none, or not the
/// moves of `root`.
Result<std::vector<DivideEntry>> divide_in(std::string_view document, const NamedPosition& root);

/// Returns the divide in the format of the debugger perftree: lines of move and count, an empty
/// line, the total.
[[nodiscard]] std::string divide_as_perftree(std::string_view document);

/// Return the header and the rows of the table that `--loop` prints as text, one row per depth.
[[nodiscard]] std::string loop_header();
[[nodiscard]] std::string loop_row(std::string_view document);

}  // namespace manyply
