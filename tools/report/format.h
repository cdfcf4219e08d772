// The forms of an answer. A new one has a name here, after the others, a function that makes it of
// a document, and a place in the rows of the modes that have it (written.cpp; of suites
// suite_answer.cpp and cli/suite_command.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/line.h"

namespace manyply {

enum class Format : std::uint8_t { kText, kJson, kCsv, kStockfish, kEpd, kJUnit };

/// What is known of a form wherever it is offered.
struct FormatInfo {
  std::string_view name;
  std::string_view media_type;
  bool of_jobs;     ///< results of a server's counts have it, if their mode does
  bool of_batches;  ///< and those of batches
};
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
inline constexpr std::array<FormatInfo, 6> kFormats{{
    {"text", kPlainText, false, true},
    {"json", "application/json", true, true},
    {"csv", "text/csv; charset=utf-8", true, false},
    {"stockfish", kPlainText, true, false},
    {"epd", kPlainText, true, false},
    {"junit", "application/xml", false, true},
}};
[[nodiscard]] constexpr const FormatInfo& info(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}
[[nodiscard]] constexpr std::string_view to_string(Format format) { return info(format).name; }

/// What a document does not say of how it is to be shown.
struct Presentation {
  bool divide = false;         ///< in text; the other forms always list the root moves
  const Line* line = nullptr;  ///< what was asked, if that is known: Stockfish's order knows more
                               ///< of it than a FEN tells
};

}  // namespace manyply
