// Somebody else's perft, as the search for its mistakes sees it: who answers is not told.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/line.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Errors of its functions: kUnavailable for a program that fails, kCancelled after a stop request.
class AskedProgram {
 public:
  struct Verdict {
    bool agrees = false;
    std::optional<NodeCount> total{};  ///< where the program tells
    std::vector<UnreadLine> unread{};  ///< not empty: what it says was not understood
    /// As EngineAnswer has them.
    std::vector<UnreadLine> passed_over{};
    /// With its moves, where it lists them.
    EngineAnswer answer{};
  };

  AskedProgram() = default;
  virtual ~AskedProgram() = default;
  AskedProgram(const AskedProgram&) = delete;
  AskedProgram& operator=(const AskedProgram&) = delete;

  /// Whether it lists moves; others can only be asked for totals.
  [[nodiscard]] virtual bool divides() const = 0;
  /// Whether it plays the moves of a line; others are told each position as a FEN.
  [[nodiscard]] virtual bool plays_moves() const = 0;
  /// The divide at `depth`, at least 1, as it was read. Precondition: divides().
  virtual Result<EngineAnswer> divide(const Line& line, Depth depth) = 0;
  /// Whether the program, too, counts `ours` paths.
  virtual Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) = 0;
  /// What is wrong with an answer whatever was asked: its total is not that of its rows.
  [[nodiscard]] virtual std::optional<Error> contradiction(const EngineAnswer& answer) const = 0;
  [[nodiscard]] virtual int questions() const = 0;
  /// The position of the last question but one.
  [[nodiscard]] virtual const std::optional<Line>& asked_before() const = 0;
};

}  // namespace manyply
