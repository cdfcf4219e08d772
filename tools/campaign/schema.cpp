#include "tools/campaign/schema.h"

#include <cstddef>

#include "core/check.h"

namespace manyply {

std::vector<std::string> migrations() { return migrations_in(schema_script()); }

std::vector<std::string> migrations_in(std::string_view script) {
  constexpr std::string_view kMark = "\n-- migration ";
  std::vector<std::string> parts;
  for (std::size_t at = script.find(kMark); at != std::string_view::npos;) {
    const std::size_t number = at + kMark.size();
    const std::size_t begin = script.find('\n', number);
    MANYPLY_CHECK(begin != std::string_view::npos &&
                  script.substr(number, begin - number) == std::to_string(parts.size() + 1));
    at = script.find(kMark, begin);
    parts.emplace_back(script.substr(begin, at == std::string_view::npos ? at : at - begin));
  }
  MANYPLY_CHECK(!parts.empty());
  return parts;
}

}  // namespace manyply
