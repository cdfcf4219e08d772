// Documents, text and CSV of all modes except counting (estimates, statistics, distinct positions
// and verification), and of the comparison of methods. Texts and CSV are complete, including the
// last line end. Functions that take a document throw the JSON library's exceptions if it is
// invalid.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "core/line.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "tools/report/question.h"

namespace manyply {

// Estimates.

/// Returns the document of `report` for `root`, with the published count if one is known.
[[nodiscard]] std::string estimate_document(const EstimateReport& report, const Line& root,
                                            Depth depth, std::uint64_t seed);

[[nodiscard]] std::string estimate_text(const nlohmann::ordered_json& document,
                                        const Presentation& how);

/// Returns kMatch if the published count lies in the interval of an estimate, otherwise kMismatch.
/// Returns kUnknown if no count is published.
[[nodiscard]] KnownVerdict judge_estimate(const std::optional<NodeCount>& published, double low,
                                          double high);

// Move statistics.

/// Returns the document of `report` for `root` at `depth`. If `details` is not null, it has the
/// same root moves as `report`.
[[nodiscard]] std::string statistics_document(const StatisticsReport& report, const Line& root,
                                              Depth depth,
                                              const std::vector<LastPlyEntry>* details = nullptr);

/// Returns the total, one line per kind of move, and the speed. If `how.divide`, a table of the
/// root moves precedes these lines.
[[nodiscard]] std::string statistics_text(const nlohmann::ordered_json& document,
                                          const Presentation& how);
/// Returns one row per root move and a row "total".
[[nodiscard]] std::string statistics_csv(const nlohmann::ordered_json& document,
                                         const Presentation& how);

// The distinct positions of each ply.

/// Compares a ply's number of distinct positions and its number of paths with the published numbers
/// for `root`. Returns kMatch if both numbers are published and right, kMismatch if one differs,
/// otherwise kUnknown.
[[nodiscard]] KnownVerdict unique_verdict(const UniquePly& ply, const Position& root);
/// Returns kMismatch if any ply has this verdict; otherwise the verdict of the last ply.
[[nodiscard]] KnownVerdict unique_verdict(std::span<const UniquePly> plies, const Position& root);

/// Returns the document: a FEN, and for each ply the numbers of distinct positions and of paths,
/// the verdict, the time and the number of passes.
[[nodiscard]] std::string unique_document(std::span<const UniquePly> plies,
                                          const NamedPosition& root);

/// Returns the number of distinct positions of the last ply. Error kInvalidInput: the document is
/// invalid.
Result<std::uint64_t> distinct_in(std::string_view document);

[[nodiscard]] std::string unique_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);
[[nodiscard]] std::string unique_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// These functions return one row of the tables of unique_text() and unique_csv(). The row of ply 0
// begins with the header.

[[nodiscard]] std::string unique_text_row(const UniquePly& ply, const Position& root);
[[nodiscard]] std::string unique_csv_row(const UniquePly& ply, const Position& root);

// Verifications.

/// Returns the document of `report` for `root` at `depth`.
[[nodiscard]] nlohmann::ordered_json verify_document(const VerifyReport& report, const Line& root,
                                                     Depth depth);

[[nodiscard]] std::string verify_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);

// Comparisons of one count by three methods.

/// Reports of one count by three methods.
struct MethodReports {
  Report hashed;
  Report unhashed;
  Report configurations;  ///< not shown if the count needed no matrix
};

/// Returns whether all three totals agree with each other, and with the published value if there is
/// one. The counts of each root move must also agree.
[[nodiscard]] bool agree(const MethodReports& reports);

/// Returns the document: position, depth, "agrees", "speed_up" (time unhashed / hashed), and one
/// member per method.
[[nodiscard]] nlohmann::ordered_json compare_document(const MethodReports& reports,
                                                      const Line& root, Depth depth);

/// Returns one row per method, followed by the speed-up, the table, the comparison with the
/// published value, and the verdict.
[[nodiscard]] std::string compare_text(const nlohmann::ordered_json& document);

}  // namespace manyply
