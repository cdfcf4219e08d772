// Formats the hash table's settings and counters as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "parallel/jobs/job.h"

namespace manyply {

/// Adds "hash_bytes", "key_seed", "key_bits", "expected_false_matches" and "table" to `json`; zeros
/// and nulls if the count used no table.
void add_hash_json(const Report& report, nlohmann::ordered_json& json);

/// Returns lines for the summary and a table by remaining depth, from a document with these
/// members. Throws the JSON library's exceptions if the document is invalid.
[[nodiscard]] std::string hash_text(const nlohmann::ordered_json& document);

}  // namespace manyply
