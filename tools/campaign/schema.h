// The embedded scripts: the schema of the campaign database, and the batch script for Slurm.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyply {

/// The version that `init` writes. Raise it with every change of schema.sql or roles.sql, which
/// then must migrate databases of the previous version.
inline constexpr std::int64_t kCampaignSchema = 3;

/// Returns schema.sql.
[[nodiscard]] std::string_view schema_script();

/// Returns the script that creates missing roles and the schema; run it at the start of a
/// transaction.
[[nodiscard]] std::string_view roles_script();

/// Returns worker.sbatch, in which %NAME% and %WORK% stand for the campaign's name and the worker's
/// command.
[[nodiscard]] std::string_view slurm_script();

}  // namespace manyply
