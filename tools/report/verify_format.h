// A verification: its document, and that as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"
#include "parallel/jobs/verify.h"
#include "tools/report/format.h"

namespace manyply {

/// What `report` answers of `root`, so many plies deep.
[[nodiscard]] std::string verify_document(const VerifyReport& report, const Line& root,
                                          Depth depth);

/// Complete output, line end included. Throws where the document is none.
[[nodiscard]] std::string verify_text(const nlohmann::ordered_json& document,
                                      const Presentation& how);

}  // namespace manyply
