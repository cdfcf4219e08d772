// Formats a verification as a document and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"
#include "parallel/jobs/verify.h"
#include "tools/report/format.h"

namespace manyply {

/// Returns the document of `report` for `root` at `depth`.
[[nodiscard]] std::string verify_document(const VerifyReport& report, const Line& root,
                                          Depth depth);

/// Returns the complete text output, including the last line end. Throws if the document is
/// invalid.
[[nodiscard]] std::string verify_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);

}  // namespace manyply
