// What hashing gains: one count by three methods, as a document and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"
#include "parallel/jobs/job.h"

namespace manyply {

struct MethodReports {
  Report hashed;
  Report unhashed;
  Report configurations;  ///< without a matrix where none was needed: then it tells nothing
};

/// Whether the totals agree, and the counts behind each root move, with each other and with what is
/// published.
[[nodiscard]] bool agree(const MethodReports& reports);

[[nodiscard]] std::string compare_document(const MethodReports& reports, const Line& root,
                                           Depth depth);

/// Throws what the JSON library throws.
[[nodiscard]] std::string compare_text(const nlohmann::ordered_json& document);

}  // namespace manyply
