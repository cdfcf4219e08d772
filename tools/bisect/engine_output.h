// What engines print when asked for a perft with its divide, in any of the ways they do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node_count.h"

namespace manyply {

/// A root move in UCI text, lower case, and the paths behind it. Not necessarily a legal move.
struct EngineRow {
  std::string move;
  NodeCount nodes;
};

struct EngineAnswer {
  std::vector<EngineRow> rows;  ///< as printed, a move may stand there twice
  std::optional<NodeCount> total;

  /// The rows' sum; nothing if it does not fit 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
};

/// Understands, line by line: `e2e4: 20`, `e2e4 20`, `e2e4,20`, `1. e2-e4 = 20 nodes`, `info string
/// e7e8=Q: 20`, thousands separated by `,`, `'` or `_`; totals as `Nodes searched: 400`, `Total:
/// 400`, `perft(2) = 400`, `nodes 400 time 3 ms nps 100000`, or a number alone. Everything else is
/// skipped. A value; one thread.
class EngineOutputParser {
 public:
  /// Any text without line ends. False if the line says nothing about a divide.
  bool feed(std::string_view line);

  [[nodiscard]] const EngineAnswer& answer() const { return answer_; }
  [[nodiscard]] EngineAnswer take() { return std::move(answer_); }

 private:
  EngineAnswer answer_;
};

}  // namespace manyply
