// Positions that people know by name.
#pragma once

#include <span>
#include <string_view>

namespace manyply {

struct PositionName {
  std::string_view name;
  std::string_view fen;
};

/// "startpos", its short form "start", "kiwipete", and the positions that the Chess Programming
/// Wiki numbers from 3 to 6 among its perft results.
[[nodiscard]] std::span<const PositionName> position_names();

}  // namespace manyply
