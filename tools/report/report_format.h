// A finished count: its document, and that as text, CSV, EPD, or what Stockfish prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "parallel/jobs/job.h"
#include "tools/report/format.h"

namespace manyply {

/// What `report` answers of `root`, so many plies deep.
[[nodiscard]] std::string count_document(const Report& report, const Line& root, Depth depth);

// Forms of a document; complete output, line end included. They throw where it is none.

[[nodiscard]] std::string count_text(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// Of any that has "nodes" and "divide", whatever else it tells.

[[nodiscard]] std::string divide_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);
[[nodiscard]] std::string divide_as_stockfish(const nlohmann::ordered_json& document,
                                              const Presentation& how);
[[nodiscard]] std::string count_epd(const nlohmann::ordered_json& document,
                                    const Presentation& how);
/// Its root moves and what is behind them. kInvalidInput if it lists none, or not those of `root`.
Result<std::vector<DivideEntry>> divide_in(std::string_view document, const NamedPosition& root);

/// As the debugger perftree reads it: lines of move and count, an empty line, the total.
[[nodiscard]] std::string divide_as_perftree(std::string_view document);

/// The table that `--loop` prints in text form: its head, and one row for each depth.
[[nodiscard]] std::string loop_header();
[[nodiscard]] std::string loop_row(std::string_view document);

}  // namespace manyply
