// What a table was and did, as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "parallel/job.h"

namespace manyply {

/// Lines for the summary of a count, and a table by remaining depth.
[[nodiscard]] std::string hash_text(const Report& report);

/// Adds "hash_bytes", "key_seed", "key_bits", "expected_false_matches" and "table" to `json`: zeros
/// and nulls after a count without a table.
void add_hash_json(const Report& report, nlohmann::ordered_json& json);

/// What add_hash_json told, as far as hash_text needs it; none after a count without a table.
/// Throws what the JSON library throws.
[[nodiscard]] std::optional<HashReport> parse_hash_json(const nlohmann::ordered_json& json);

}  // namespace manyply
