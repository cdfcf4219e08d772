// Reads the rows of jobs from the state database, and detects damage in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/jobs/job_types.h"
#include "tools/server/jobs/state_database.h"

namespace manyply {

// Conversions between values and their stored form: times as milliseconds since 1970 (UTC), hashes
// as bytes.

[[nodiscard]] std::int64_t to_stored(WallTime time);
[[nodiscard]] std::span<const std::byte> bytes_of(const Hash128& hash);
[[nodiscard]] Hash128 to_hash(std::span<const std::byte> bytes);

/// Returns a count or estimate as text: "8902", "8.9e+03". An estimate that is not exact always has
/// an exponent, and enough digits to restore the same number.
[[nodiscard]] std::string answer_text(const Answer& outcome);
/// Returns the checksum of a row of `results`.
[[nodiscard]] std::int64_t checksum_of(const Hash128& identity, const std::string& nodes,
                                       const std::string& verdict, const std::string& report);

/// Defines which data of a job read_jobs() reads. Below, "root" means JobRequest::line, "contents"
/// means JobRequest::suite, and "report" means Answer::document.
enum class Extent : std::uint8_t {
  kRow,   ///< none of these; but the root, if the row is older than the column `position`
  kRoot,  ///< the root or the contents, but no report
  kAll,   ///< the root and the report, but no contents
};

/// Returns the text of a SELECT statement for read_jobs(). `which` is the end of the statement:
/// WHERE, ORDER BY and LIMIT.
[[nodiscard]] std::string select_jobs(Extent extent, std::string_view which);
/// Reads all rows of a statement made by select_jobs() with the same `extent`. A damaged row
/// becomes a failed job.
Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent);

}  // namespace manyply
