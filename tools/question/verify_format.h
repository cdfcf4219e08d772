// A verification as text or JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/line.h"
#include "parallel/verify.h"
#include "tools/question/format.h"

namespace manyply {

/// Complete output, line end included: JSON if `format` is that, else text.
[[nodiscard]] std::string format_verify_report(const VerifyReport& report, const Line& root,
                                               Depth depth, Format format);

/// The text of a report that format_verify_report wrote as JSON. kInvalidInput if it is none.
Result<std::string> verify_text(std::string_view json);

}  // namespace manyply
