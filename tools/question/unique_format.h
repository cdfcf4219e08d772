// Distinct positions of each ply, as text, JSON and CSV; line ends included.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/unique_job.h"

namespace manyply {

/// Both of a ply's numbers against what is published of `root`: kMatch if both are known and right.
[[nodiscard]] KnownVerdict unique_verdict(const UniquePly& ply, const Position& root);
/// Of the last ply; but kMismatch if any has one.
[[nodiscard]] KnownVerdict unique_verdict(std::span<const UniquePly> plies, const Position& root);

/// Above the rows of a table, which come one by one.
inline constexpr std::string_view kUniqueTextHead =
    "  ply       distinct                    paths     known     seconds   passes   on disk\n";
inline constexpr std::string_view kUniqueCsvHead = "ply,distinct,paths\n";
[[nodiscard]] std::string unique_text_row(const UniquePly& ply, const Position& root);
[[nodiscard]] std::string unique_csv_row(const UniquePly& ply);

/// All of them: one object on one line.
[[nodiscard]] std::string unique_json(std::span<const UniquePly> plies, const NamedPosition& root);
/// What unique_json() wrote. kInvalidInput if it is something else.
Result<std::vector<UniquePly>> parse_unique(std::string_view json);

/// The whole table.
[[nodiscard]] std::string unique_text(std::span<const UniquePly> plies, const Position& root);
[[nodiscard]] std::string unique_csv(std::span<const UniquePly> plies);

}  // namespace manyply
