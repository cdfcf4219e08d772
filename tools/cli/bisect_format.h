// What `perft bisect` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/bisect/bisect.h"

namespace manyply {

/// One difference, for people: moves, FEN, board, what is missed and invented, the rules broken.
[[nodiscard]] std::string difference_text(const Difference& difference);

[[nodiscard]] nlohmann::ordered_json difference_json(const Difference& difference);

}  // namespace manyply
