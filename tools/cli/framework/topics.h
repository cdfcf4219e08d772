// Topics that concern all commands: `perft help formats`, and a section of the manual page.
#pragma once

#include <span>
#include <string_view>

namespace manyply {

/// A help text that is not about a single command.
struct Topic {
  const char* name;     ///< one word that is not the name of a command
  const char* section;  ///< of the manual page
  const char* summary;  ///< one line
  const char* text;     ///< paragraphs, see wrapped(); POSITIONS stands for the names of positions
};

/// Returns all topics.
[[nodiscard]] std::span<const Topic> topics();
/// Returns the topic with this name; null if unknown.
[[nodiscard]] const Topic* find_topic(std::string_view name);

}  // namespace manyply
