// The scripts that are written in files of their own: the schema of a database with campaigns, and
// what Slurm is given.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyply {

/// The version that `init` writes: raised with every change of schema.sql or of roles.sql, which
/// then say how databases of the version before come to it.
inline constexpr std::int64_t kCampaignSchema = 3;

/// schema.sql.
[[nodiscard]] std::string_view schema_script();

/// What makes the roles and the schema, where they are missing: for a transaction's beginning.
[[nodiscard]] std::string_view roles_script();

/// worker.sbatch: %NAME% and %WORK% stand for the campaign's name and the command that takes part.
[[nodiscard]] std::string_view slurm_script();

}  // namespace manyply
