// A document is the JSON object that tells an answer: whole, on one line. It is the only form that
// is stored or sent; all others are made of it, wherever it comes from, by functions that read it
// here.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/known_values.h"
#include "core/node_count.h"

namespace manyply {

// Members. What is not there, or is something else, throws.

const std::string& text_in(const nlohmann::ordered_json& json, const char* name);
std::uint64_t whole_in(const nlohmann::ordered_json& json, const char* name);
double real_in(const nlohmann::ordered_json& json, const char* name);
/// Counts are decimal strings: JavaScript loses digits of numbers above 2^53.
NodeCount count_in(const nlohmann::ordered_json& json, const char* name);

/// The published count of a document's position and depth, if there is one.
std::optional<NodeCount> published_for(const nlohmann::ordered_json& document);
/// known_text() of what its member "known" says.
std::string known_in(const nlohmann::ordered_json& document);

/// "match", "mismatch: 8902 is published", "unknown (no published value)".
[[nodiscard]] std::string known_text(KnownVerdict verdict, std::optional<NodeCount> known);

/// `fen`, and of Chess960 which right to castle makes it that: "…  (Chess960: king on b1)".
[[nodiscard]] std::string position_words(const std::string& fen);

/// A line of text: a name, and from the eleventh column on what there is to say of it.
[[nodiscard]] std::string text_line(std::string_view name, std::string_view value);

}  // namespace manyply
