// Formats the comparison of one count by three methods.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"
#include "parallel/jobs/job.h"

namespace manyply {

/// Reports of the same count by three methods.
struct MethodReports {
  Report hashed;
  Report unhashed;
  Report configurations;  ///< not shown if it needed no matrix
};

/// Returns whether the totals and the counts of each root move agree with each other and with the
/// published value.
[[nodiscard]] bool agree(const MethodReports& reports);

/// Returns the document: one member per method, "speed_up" (time unhashed / hashed) and "agrees".
[[nodiscard]] std::string compare_document(const MethodReports& reports, const Line& root,
                                           Depth depth);

/// Returns one row per method, then speed-up, table, published value and verdict. Throws the JSON
/// library's exceptions if the document is invalid.
[[nodiscard]] std::string compare_text(const nlohmann::ordered_json& document);

}  // namespace manyply
