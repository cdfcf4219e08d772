// The forms of an answer. A new one has a name here, a function that makes it of a document, and a
// place in the rows of the modes that have it (answer.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/line.h"

namespace manyply {

enum class Format : std::uint8_t { kText, kJson, kCsv, kStockfish, kEpd, kJUnit };
inline constexpr std::array<std::string_view, 6> kFormatNames{"text",      "json", "csv",
                                                              "stockfish", "epd",  "junit"};
[[nodiscard]] constexpr std::string_view to_string(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}
[[nodiscard]] constexpr std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

/// What a document does not say of how it is to be shown.
struct Presentation {
  bool divide = false;         ///< in text; the other forms always list the root moves
  const Line* line = nullptr;  ///< what was asked, if that is known: Stockfish's order knows more
                               ///< of it than a FEN tells
};

}  // namespace manyply
