// Colours of a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manyply {

enum class Colour : std::uint8_t { kBold, kRed, kGreen };

/// `text` in `colour`, as it is if `on` is false.
[[nodiscard]] std::string painted(std::string_view text, Colour colour, bool on);

}  // namespace manyply
