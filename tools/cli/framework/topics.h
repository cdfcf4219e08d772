// What all commands share, told once: `perft help formats`, and a section of the manual page.
#pragma once

#include <span>
#include <string_view>

namespace manyply {

struct Topic {
  const char* name;     ///< one word, which no command has
  const char* section;  ///< of the manual page
  const char* summary;  ///< one line
  const char* text;     ///< paragraphs, see wrapped(), with POSITIONS for the names of positions
};

[[nodiscard]] std::span<const Topic> topics();
/// Null if there is none of that name.
[[nodiscard]] const Topic* find_topic(std::string_view name);

}  // namespace manyply
