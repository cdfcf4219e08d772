// Colours of a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manyply {

enum class Colour : std::uint8_t { kBold, kRed, kGreen };

/// Returns `text` with the escape codes of `colour`; unchanged if `on` is false.
[[nodiscard]] std::string painted(std::string_view text, Colour colour, bool on);

}  // namespace manyply
