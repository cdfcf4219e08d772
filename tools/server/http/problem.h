// Errors as RFC 9457 problem details.
#pragma once

#include <string>

#include "core/result.h"
#include "tools/server/http/http_message.h"

namespace manyply {

inline constexpr std::string_view kProblemType = "application/problem+json";

/// {"title": the status's name, "status", "detail", and where known "field" and "column"}.
[[nodiscard]] HttpResponse problem(int status, std::string_view detail);
[[nodiscard]] HttpResponse problem(int status, const Error& error);

/// What the transport itself says, before or instead of any route.
[[nodiscard]] HttpResponse transport_problem(int status, std::string_view detail);

[[nodiscard]] std::string_view status_name(int status);  ///< "Not Found"; "Error" if unknown

}  // namespace manyply
