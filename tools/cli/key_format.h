// What `perft zobrist --engine` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnose/keys/key_check.h"

namespace manyply {

/// "0x463b96181691fc9c", in as many digits as so many bits need.
[[nodiscard]] std::string key_text(const ZobristKey& key, int bits);

/// `columns` is the width of the terminal, 0 if it is none.
[[nodiscard]] std::string key_report_text(const KeyReport& report, int columns);
[[nodiscard]] nlohmann::ordered_json key_report_json(const KeyReport& report);

}  // namespace manyply
