// Lines of a report: a name, and what there is to say.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// "verdict    agrees".
[[nodiscard]] std::string report_row(std::string_view name, std::string_view value);

/// A sentence, broken between words where the next one would not fit into `columns`; 0 is no limit.
[[nodiscard]] std::string report_sentence(std::string_view name, std::string_view text,
                                          int columns);

}  // namespace manyply
