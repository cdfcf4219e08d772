// A verification as text or JSON.
#pragma once

#include <string>
#include <string_view>

#include "parallel/verify.h"
#include "tools/cli/options.h"
#include "tools/cli/root.h"

namespace manyply {

/// Complete output, line end included: JSON if `format` is that, else text.
[[nodiscard]] std::string format_verify_report(const VerifyReport& report, const Root& root,
                                               Depth depth, Format format);

/// The text of a report that format_verify_report wrote as JSON. kInvalidInput if it is none.
Result<std::string> verify_text(std::string_view json);

}  // namespace manyply
