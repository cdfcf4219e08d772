// What a table was and did, as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "parallel/jobs/job.h"

namespace manyply {

/// Adds "hash_bytes", "key_seed", "key_bits", "expected_false_matches" and "table" to `json`: zeros
/// and nulls after a count without a table.
void add_hash_json(const Report& report, nlohmann::ordered_json& json);

/// Lines for the summary of a count that had a table, and a table by remaining depth, of the
/// document that has those members. Throws what the JSON library throws.
[[nodiscard]] std::string hash_text(const nlohmann::ordered_json& document);

}  // namespace manyply
