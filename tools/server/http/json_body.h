// Parses a request body as a JSON object, with precise errors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

/// Parses `text` as one JSON object whose member names are all different. Errors (kInvalidInput)
/// give line and column, both from 1, columns in characters. For invalid UTF-8 they also give the
/// byte offset. The field is empty unless one member is at fault: it occurs twice, or its number is
/// out of range.
Result<nlohmann::ordered_json> parse_json_object(std::string_view text);

/// Returns an error about a member. Its name is the field, or is quoted in the message if no field
/// can have that name.
[[nodiscard]] Error bad_member(const std::string& name, const std::string& why);

}  // namespace manyply
