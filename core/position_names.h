// Names of well-known positions.
#pragma once

#include <span>
#include <string_view>

namespace manyply {

/// A name and the FEN it stands for.
struct PositionName {
  std::string_view name;
  std::string_view fen;
};

/// Returns all names: "startpos", its short form "start", "kiwipete", and positions 3 to 6 of the
/// Chess Programming Wiki's perft results.
[[nodiscard]] std::span<const PositionName> position_names();

}  // namespace manyply
