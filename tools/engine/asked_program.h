// Interface to a program under test, as the search for its mistakes uses it. It hides whether an
// engine, a script or another source answers.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/line.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// A program that can be asked for divides and totals. Errors of its functions: kUnavailable for a
/// program that fails, kCancelled after a stop request. One thread.
class AskedProgram {
 public:
  /// The comparison of the program's count with ours.
  struct Verdict {
    bool agrees = false;
    std::optional<NodeCount> total{};  ///< nullopt if the program prints no total
    std::vector<UnreadLine>
        unread{};  ///< lines that were not understood; if there are any, `agrees` is no verdict
    /// Lines that were skipped: see EngineAnswer.
    std::vector<UnreadLine> passed_over{};
    /// The whole answer, with its moves if the program lists them.
    EngineAnswer answer{};
  };

  AskedProgram() = default;
  virtual ~AskedProgram() = default;
  AskedProgram(const AskedProgram&) = delete;
  AskedProgram& operator=(const AskedProgram&) = delete;

  /// Returns whether the program lists moves. Other programs answer with totals only.
  [[nodiscard]] virtual bool divides() const = 0;
  /// Returns whether the program plays the moves of a line. Others receive each position as a FEN.
  [[nodiscard]] virtual bool plays_moves() const = 0;
  /// Returns the divide at `depth`, at least 1. Precondition: divides().
  virtual Result<EngineAnswer> divide(const Line& line, Depth depth) = 0;
  /// Asks for the count and compares it with `ours`.
  virtual Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) = 0;
  /// Returns an error if an answer contradicts itself: its total differs from the sum of its rows.
  [[nodiscard]] virtual std::optional<Error> contradiction(const EngineAnswer& answer) const = 0;
  /// Returns the number of questions so far.
  [[nodiscard]] virtual int questions() const = 0;
  /// Returns the position of the question before the last one; nullopt before the second question.
  [[nodiscard]] virtual const std::optional<Line>& asked_before() const = 0;
};

}  // namespace manyply
