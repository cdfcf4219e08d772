// What library.cpp answers besides its own questions: of the npm package nothing, of the page's
// module what the page asks.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "tools/report/question.h"

namespace manyply {

nlohmann::ordered_json refusal(const Error& error);
Result<Question> question_in(const nlohmann::ordered_json& json);

/// The answer to `what`; nothing: it is not known here.
std::optional<nlohmann::ordered_json> answer_more(std::string_view what,
                                                  const nlohmann::ordered_json& json);

}  // namespace manyply
