#include "tools/question/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/fen.h"

namespace manyply {

using Json = nlohmann::ordered_json;

const std::string& text_in(const Json& json, const char* name) {
  return json.at(name).get_ref<const std::string&>();
}

std::uint64_t whole_in(const Json& json, const char* name) {
  return json.at(name).get<std::uint64_t>();
}

double real_in(const Json& json, const char* name) { return json.at(name).get<double>(); }

NodeCount count_in(const Json& json, const char* name) {
  return NodeCount::parse(text_in(json, name)).value();
}

std::optional<NodeCount> published_for(const Json& document) {
  return known_value(parse_position(text_in(document, "fen")).value().position,
                     Depth(document.at("depth").get<int>()));
}

std::string known_in(const Json& document) {
  const KnownVerdict verdict = known_verdict(text_in(document, "known"));
  return known_text(verdict,
                    verdict == KnownVerdict::kMismatch ? published_for(document) : std::nullopt);
}

std::string known_text(KnownVerdict verdict, std::optional<NodeCount> known) {
  switch (verdict) {
    case KnownVerdict::kMatch:
      return "match";
    case KnownVerdict::kMismatch:
      return "mismatch: " + known.value_or(0).to_string() + " is published";
    case KnownVerdict::kUnknown:
      break;
  }
  return "unknown (no published value)";
}

std::string text_line(std::string_view name, std::string_view value) {
  return fmt::format("{:<10} {}\n", name, value);
}

}  // namespace manyply
