// What somebody meant who mistyped a name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace manyply {

/// How many letters are to be changed, left out, put in or swapped with their neighbour to make
/// one word of the other.
[[nodiscard]] int typing_errors(std::string_view a, std::string_view b);

/// The name that `word` was probably meant to be: with the fewest typing errors, as long as those
/// are one in three letters at most; else the one with the longest beginning in common, of three
/// letters at least.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> names);

}  // namespace manyply
