// library.cpp is part of two modules: one for the npm package, and one for the page. Each module
// has its own answer_more(), for the questions that the other module does not support. library.cpp
// defines the other functions of this header.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns the answer that reports `error`.
nlohmann::ordered_json refusal(const Error& error);
/// Parses and validates the fields that all questions about a position have.
Result<Question> question_in(const nlohmann::ordered_json& json);

/// Returns the answer to question `what`; nullopt if this module does not know it.
std::optional<nlohmann::ordered_json> answer_more(std::string_view what,
                                                  const nlohmann::ordered_json& json);

}  // namespace manyply
