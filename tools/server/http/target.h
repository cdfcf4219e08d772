// Parses request targets: "/v1/jobs/7?format=csv" into path segments and parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A target, decoded once and strictly. Immutable in use; safe to read from any thread.
struct Target {
  std::vector<std::string> segments;  ///< of the path; "/" has one empty segment
  /// Of the query, in order; names are unique.
  std::vector<std::pair<std::string, std::string>> parameters;

  /// Returns the value of a parameter; nullopt if it is absent.
  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const;

  /// Parses a target. Errors (kInvalidInput, field "target"): no leading '/', a '%' without two
  /// hexadecimal digits, invalid UTF-8 or control characters after decoding, a repeated parameter.
  /// '+' means a space only in parameters.
  static Result<Target> parse(std::string_view text);
};

/// Returns whether `bytes` is valid UTF-8 without control characters other than tab and line ends.
[[nodiscard]] bool is_plain_text(std::string_view bytes);

}  // namespace manyply
