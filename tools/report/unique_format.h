// Distinct positions of each ply: their document, and that as text and CSV; line ends included.
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

/// Both of a ply's numbers against what is published of `root`: kMatch if both are known and right.
[[nodiscard]] KnownVerdict unique_verdict(const UniquePly& ply, const Position& root);
/// Of the last ply; but kMismatch if any has one.
[[nodiscard]] KnownVerdict unique_verdict(std::span<const UniquePly> plies, const Position& root);

[[nodiscard]] std::string unique_document(std::span<const UniquePly> plies,
                                          const NamedPosition& root);

/// The document's distinct positions of the last ply. kInvalidInput if it is none.
Result<std::uint64_t> distinct_in(std::string_view document);

// They throw where the document is none.

[[nodiscard]] std::string unique_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);
[[nodiscard]] std::string unique_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// The same, where plies come one by one: what stands above the first one is with that.

[[nodiscard]] std::string unique_text_row(const UniquePly& ply, const Position& root);
[[nodiscard]] std::string unique_csv_row(const UniquePly& ply, const Position& root);

}  // namespace manyply
