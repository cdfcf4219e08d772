// Jobs as rows of the state database: what is read of them, and what shows that a row is damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/jobs/job_types.h"
#include "tools/server/jobs/sqlite.h"

namespace manyply {

// As they are stored: milliseconds since 1970, UTC; the bytes of a hash.

[[nodiscard]] std::int64_t to_stored(WallTime time);
[[nodiscard]] std::span<const std::byte> bytes_of(const Hash128& hash);
[[nodiscard]] Hash128 to_hash(std::span<const std::byte> bytes);

/// What was counted, or estimated, as text: "8902", "8.9e+03". A number that was estimated always
/// has an exponent, and all the digits that it takes to read the same number again.
[[nodiscard]] std::string answer_text(const Answer& outcome);
/// Of a row of `results`.
[[nodiscard]] std::int64_t checksum_of(const Hash128& identity, const std::string& nodes,
                                       const std::string& verdict, const std::string& report);

/// How much is read of a job, beside its state.
enum class Extent : std::uint8_t {
  kRow,   ///< no report, and no root unless the row is older than the column `position`
  kRoot,  ///< no report, but what a batch counts
  kAll,   ///< all but what a batch counted
};

/// A statement whose rows read_jobs() reads; `which` are its conditions.
[[nodiscard]] std::string select_jobs(Extent extent, std::string_view which);
Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent);

}  // namespace manyply
