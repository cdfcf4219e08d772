// Suggestions for mistyped names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace manyply {

/// Returns the number of letters to change, remove, insert or swap with a neighbour to turn one
/// word into the other.
[[nodiscard]] int typing_errors(std::string_view a, std::string_view b);

/// Returns the name that `word` probably stands for: the one with the fewest typing errors, at most
/// one per three letters; otherwise the one with the longest common prefix, at least three letters.
/// nullopt if no name fits.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> names);

}  // namespace manyply
