#include "tools/text/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace manyply {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_line(const Json& json) { return json_text(json) + '\n'; }

Json rate_json(double per_second) {
  if (per_second < 0x1p63) return std::llround(per_second);
  return per_second;
}

Json read_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string valid_utf8(std::string_view text) {
  return read_json(json_text(Json(text))).get<std::string>();
}

}  // namespace manyply
