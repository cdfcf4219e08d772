// Describes an engine: its command, and how to ask it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manyply {

/// The protocol of an engine.
enum class Dialect : std::uint8_t {
  kAuto,
  /// Reads `position fen FEN moves MOVES` and `go perft N`, as Stockfish does. Prints a divide, or
  /// only a total. The UCI handshake is optional.
  kStockfish,
  kDivide,  ///< as kStockfish, but with `divide N`
  kPerft,   ///< as kStockfish, but with `perft N`
  kXboard,  ///< reads `setboard FEN`, and `divide N` or `perft N`
  /// Is run as `CMD DEPTH FEN [MOVES]` and prints a divide or a total. This is the protocol of the
  /// debugger perftree.
  kLines,
  /// Is run as `CMD FEN DEPTH VALUE` and exits with 0 if the count is VALUE. This is JudDperft's
  /// protocol.
  kJudDperft,
  kAsk,  ///< is sent EngineSpec::ask
  kRun,  ///< is run anew for each question with EngineSpec::command
};

/// Returns the name of a protocol in flags and messages.
[[nodiscard]] std::string_view to_string(Dialect dialect);

struct EngineSpec {
  /// A shell command. If it contains {fen}, it is run anew for each question: see ask_template.h.
  std::string command;
  std::string ask{};  ///< text sent for each question; empty: as `dialect` defines
  Dialect dialect = Dialect::kAuto;
  double timeout_seconds = 60;  ///< time limit of each answer, in seconds
};

}  // namespace manyply
