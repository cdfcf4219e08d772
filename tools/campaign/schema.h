// The scripts that are written in files of their own: the schema of a database with campaigns, and
// what Slurm is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyply {

/// schema.sql.
[[nodiscard]] std::string_view schema_script();

/// What makes the roles and the schema, where they are missing: for a transaction's beginning.
[[nodiscard]] std::string_view roles_script();

/// worker.sbatch: %NAME% and %WORK% stand for the campaign's name and the command that takes part.
[[nodiscard]] std::string_view slurm_script();

/// What leads from version i to version i + 1 of the schema.
[[nodiscard]] std::vector<std::string> migrations();
/// The same of any text. Throws BugError if its numbers do not ascend from 1.
[[nodiscard]] std::vector<std::string> migrations_in(std::string_view script);

}  // namespace manyply
