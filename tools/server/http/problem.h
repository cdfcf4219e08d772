// Errors as RFC 9457 problem details.
#pragma once

#include <string>

#include "core/base/result.h"
#include "tools/server/http/http_message.h"

namespace manyply {

inline constexpr std::string_view kProblemType = "application/problem+json";

/// Returns a problem response: {"title": name of the status, "status", "detail", and if known
/// "field" and "column"}.
[[nodiscard]] HttpResponse problem(int status, std::string_view detail);
[[nodiscard]] HttpResponse problem(int status, const Error& error);

/// Returns a problem response from the transport itself, sent before or instead of a route's.
[[nodiscard]] HttpResponse transport_problem(int status, std::string_view detail);

[[nodiscard]] std::string_view status_name(int status);  ///< "Not Found"; "Error" if unknown

}  // namespace manyply
