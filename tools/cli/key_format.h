// The report of `perft zobrist --engine`, as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnose/keys/key_check.h"

namespace manyply {

/// Returns "0x463b96181691fc9c", with the number of digits for `bits` bits.
[[nodiscard]] std::string key_text(const ZobristKey& key, int bits);

/// Formats the report for users. `columns` is the width of the terminal, or 0.
[[nodiscard]] std::string key_report_text(const KeyReport& report, int columns);
/// Returns the report as JSON.
[[nodiscard]] nlohmann::ordered_json key_report_json(const KeyReport& report);

}  // namespace manyply
