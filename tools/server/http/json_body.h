// A request's body as a JSON object, or what is wrong with it and where.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace manyply {

/// `text` as one JSON object whose members have different names. Errors (kInvalidInput) say line
/// and column, both from 1, columns in characters: bytes that are no UTF-8, with their offset, too;
/// text that is no JSON. The field is empty unless one member is to blame: one that comes twice, or
/// has a number beyond all that can be read.
Result<nlohmann::ordered_json> parse_json_object(std::string_view text);

/// What is wrong with a member of that name, which is quoted where no field could have it.
[[nodiscard]] Error bad_member(const std::string& name, const std::string& why);

}  // namespace manyply
