// Rows of a report: a name and a text.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// Returns a row such as "verdict    agrees".
[[nodiscard]] std::string report_row(std::string_view name, std::string_view value);

/// Returns a row whose text is a sentence, wrapped to `columns`; 0 = no limit.
[[nodiscard]] std::string report_sentence(std::string_view name, std::string_view text,
                                          int columns);

}  // namespace manyply
