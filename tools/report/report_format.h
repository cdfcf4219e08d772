// Formats a finished count as a document, text, CSV, EPD or Stockfish's output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "core/position.h"
#include "parallel/jobs/job.h"
#include "tools/report/format.h"

namespace manyply {

/// Returns the document of `report` for `root` at `depth`. It lists the root moves if
/// `with_divide`.
[[nodiscard]] std::string count_document(const Report& report, const Line& root, Depth depth,
                                         bool with_divide = true);

// These return the complete output, including the last line end, and throw if the document is
// invalid.

[[nodiscard]] std::string count_text(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// These accept all documents with the members "nodes" and "divide".

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

// Formats the hash table's settings and counters as text and JSON.

/// Adds "hash_bytes", "key_seed", "key_bits", "expected_false_matches" and "table" to `json`; zeros
/// and nulls if the count used no table.
void add_hash_json(const Report& report, nlohmann::ordered_json& json);

/// Returns lines for the summary and a table by remaining depth, from a document with these
/// members. Throws the JSON library's exceptions if the document is invalid.
[[nodiscard]] std::string hash_text(const nlohmann::ordered_json& document);

// The order in which Stockfish lists the moves of a position. Tools rely on this published
// behaviour when they compare its output line by line.

/// Returns the legal moves of `position` in the order of Stockfish 15.1. `passed` is the square
/// that the last move passed if it was a double push, whether or not it can be captured en passant
/// (see Line).
[[nodiscard]] std::vector<Move> stockfish_order(const Position& position,
                                                std::optional<Square> passed);

}  // namespace manyply
