// Request targets: "/v1/jobs/7?format=csv" as path segments and parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace manyply {

/// A target, decoded once and strictly. Any thread.
struct Target {
  std::vector<std::string> segments;  ///< of the path; "/" has one, which is empty
  std::vector<std::pair<std::string, std::string>> parameters;  ///< in order, names differ

  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const;

  /// Errors (kInvalidInput, field "target"): no leading '/', a '%' without two hexadecimal digits,
  /// bytes that are no UTF-8 or control characters after decoding, a parameter that comes twice.
  /// '+' means a space in parameters only.
  static Result<Target> parse(std::string_view text);
};

/// Well-formed UTF-8 without control characters other than tab and line ends.
[[nodiscard]] bool is_plain_text(std::string_view bytes);

}  // namespace manyply
