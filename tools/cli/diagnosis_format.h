// Formats the reports of `bisect`, `diff` and `zobrist`. Wraps their lines to the width of the
// terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/line.h"
#include "tools/diagnose/bisect.h"
#include "tools/diagnose/keys/key_check.h"

// Formats the output of `perft bisect`.

namespace manyply {

/// Returns the description of one difference: moves, FEN, board, missing and extra moves, and
/// broken rules. Wraps sentences to `columns`; 0 = no wrapping.
[[nodiscard]] std::string difference_text(const Difference& difference, int columns);

/// Returns a difference as JSON, with the same facts as difference_text().
[[nodiscard]] nlohmann::ordered_json difference_json(const Difference& difference);

/// Formats a question and the lines of its answer that were not understood.
[[nodiscard]] std::string not_understood_text(const NotUnderstood& question, int columns);

/// Returns the content of not_understood_text() as JSON.
[[nodiscard]] nlohmann::ordered_json not_understood_json(const NotUnderstood& question);

/// Formats the lines of an answer that were not understood. Adds the consequence: only totals were
/// compared. Returns an empty text if there are no such lines.
[[nodiscard]] std::string passed_over_text(const std::vector<UnreadLine>& lines, int columns);
/// Returns `[{"text": …, "why": …}, …]`.
[[nodiscard]] nlohmann::ordered_json unread_json(const std::vector<UnreadLine>& lines);

// Formats the output of `perft diff` for a pasted divide. Uses the same words as the page
// (../web/render.js).

/// Returns whether the paste allows no conclusion: some rows may have been lost when the user
/// copied the text, and the remaining rows show neither a cause nor a next step.
[[nodiscard]] bool is_incomplete(const nlohmann::ordered_json& document);

/// Formats `document`, which is a diff_document() of the divide at `depth`. Wraps sentences to
/// `columns`; 0 = no wrapping.
[[nodiscard]] std::string diff_text(const nlohmann::ordered_json& document, const Line& line,
                                    Depth depth, int columns);

/// Returns "All 48 moves agree at depth 2.".
[[nodiscard]] std::string agreement_text(const nlohmann::ordered_json& document, Depth depth);

// The report of `perft zobrist --engine`, as text and JSON.

/// Formats the report for users. `columns` is the width of the terminal; 0 if unknown.
[[nodiscard]] std::string key_report_text(const KeyReport& report, int columns);
/// Returns the report as JSON.
[[nodiscard]] nlohmann::ordered_json key_report_json(const KeyReport& report);

// Rows of a report: a name and a text.

/// Returns the rows "position" and "moves": the first position of `line` as a FEN, and the moves
/// after this position. Omits "moves" if `line` has no moves.
[[nodiscard]] std::string position_rows(const Line& line);

/// Returns a row whose text is a sentence. Wraps the sentence to `columns`; 0 = no limit.
[[nodiscard]] std::string report_sentence(std::string_view name, std::string_view text,
                                          int columns);

}  // namespace manyply
