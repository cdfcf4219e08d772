// The output formats. A new format needs a name at the end of the lists in this file, and a
// function that generates the format from a document. In answer.cpp, each mode that supports the
// format needs an entry for it. A format for suites also needs an entry in cli/suite_command.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/line.h"

namespace manyply {

enum class Format : std::uint8_t { kText, kJson, kCsv, kStockfish, kEpd, kJUnit };

/// Properties of a format.
struct FormatInfo {
  std::string_view name;
  std::string_view media_type;
  bool of_jobs;     ///< available for results of jobs, if their mode supports it
  bool of_batches;  ///< available for results of batches
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
/// Returns the properties of a format.
[[nodiscard]] constexpr const FormatInfo& info(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}
[[nodiscard]] constexpr std::string_view to_string(Format format) { return info(format).name; }

/// Options for showing a document. A document does not contain them.
struct Presentation {
  /// List the root moves in text; other formats list them whenever the document has them.
  bool divide = false;
  /// The root and the moves that led to it, if known. The order in which Stockfish lists moves
  /// depends on the move that led to the root. A FEN does not contain this move.
  const Line* line = nullptr;
};

}  // namespace manyply
