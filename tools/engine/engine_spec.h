// Which engine is meant, and how it is to be asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manyply {

enum class Dialect : std::uint8_t {
  kAuto,
  /// Reads `position fen FEN moves MOVES` and `go perft N`, as Stockfish does; prints a divide, or
  /// a total alone. The UCI handshake is optional.
  kStockfish,
  kDivide,  ///< the same with `divide N`
  kPerft,   ///< the same with `perft N`
  kXboard,  ///< reads `setboard FEN`, and `divide N` or `perft N`
  /// Is run as `CMD DEPTH FEN [MOVES]` and prints a divide or a total, as the debugger perftree has
  /// it.
  kLines,
  /// Is run as `CMD FEN DEPTH VALUE` and exits with 0 if the count is VALUE, as JudDperft has it.
  kJudDperft,
  kAsk,  ///< is told EngineSpec::ask
  kRun,  ///< is run anew for each question: EngineSpec::command says how
};

[[nodiscard]] std::string_view to_string(Dialect dialect);

struct EngineSpec {
  /// For the shell. With {fen} in it, it is run anew for each question: see ask_template.h.
  std::string command;
  std::string ask{};  ///< what it is told for each question; empty = as `dialect` has it
  Dialect dialect = Dialect::kAuto;
  double timeout_seconds = 60;  ///< for each answer
};

}  // namespace manyply
