// Which engine is meant, and how it is to be asked.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

enum class Dialect {
  kAuto,
  /// Reads `position fen FEN moves MOVES` and `go perft N`, as Stockfish does; prints a divide, or
  /// a total alone. The UCI handshake is optional.
  kStockfish,
  /// Is run as `CMD DEPTH FEN [MOVES]` and prints a divide, as the debugger perftree has it.
  kLines,
  /// Is run as `CMD FEN DEPTH VALUE` and exits with 0 if the count is VALUE, as JudDperft has it.
  kJudDperft,
};

[[nodiscard]] std::string_view to_string(Dialect dialect);

struct EngineSpec {
  std::string command;  ///< for the shell
  Dialect dialect = Dialect::kAuto;
  double timeout_seconds = 60;  ///< for each answer
};

}  // namespace manyply
