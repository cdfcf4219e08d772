// Formats the distinct positions of each ply as a document, text and CSV, including line ends.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/jobs/unique_job.h"
#include "tools/report/format.h"

namespace manyply {

/// Compares both numbers of a ply with the published ones for `root`: kMatch if both are known and
/// right.
[[nodiscard]] KnownVerdict unique_verdict(const UniquePly& ply, const Position& root);
/// Returns the verdict of the last ply, but kMismatch if any ply has it.
[[nodiscard]] KnownVerdict unique_verdict(std::span<const UniquePly> plies, const Position& root);

/// Returns the document: a FEN, and for each ply its numbers, verdict, time and disk space.
[[nodiscard]] std::string unique_document(std::span<const UniquePly> plies,
                                          const NamedPosition& root);

/// Returns the distinct positions of the last ply. kInvalidInput if the document is invalid.
Result<std::uint64_t> distinct_in(std::string_view document);

// These throw if the document is invalid.

[[nodiscard]] std::string unique_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);
[[nodiscard]] std::string unique_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// The same, row by row; the row of the first ply includes the header.

[[nodiscard]] std::string unique_text_row(const UniquePly& ply, const Position& root);
[[nodiscard]] std::string unique_csv_row(const UniquePly& ply, const Position& root);

}  // namespace manyply
