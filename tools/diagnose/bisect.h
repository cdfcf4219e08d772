// The search for the smallest difference between an engine's perft and ours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/other_question.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {

/// Where an engine goes wrong: a position, what differs in it, and why.
struct Difference {
  Line line;
  Depth depth;  ///< of the question whose answers differ here
  std::vector<Move> missed;
  std::vector<std::string> invented;
  std::vector<CountDifference> counts;
  std::vector<Finding> findings;
  /// Where no moves are told, or none of them is to blame: the engine's total where known, and
  /// ours.
  std::optional<NodeCount> engine_total;
  NodeCount our_total;
  /// Whether the engine is right when it is told the position as a FEN; nothing if it was told so.
  std::optional<bool> right_as_fen;
  /// With it: the move, counted from 0, that the engine must have played wrong.
  std::optional<std::size_t> culprit;
};

struct BisectOptions {
  std::size_t causes = 1;  ///< go on until that many distinct causes are found
  int max_questions = 2000;
  OurDivide divide;
  /// Causes found before, in other positions: what they explain is not called by another name.
  std::vector<Cause> known{};
  /// Told of each depth that agrees, with its paths.
  std::function<void(Depth, NodeCount)> on_agreed = [](Depth, NodeCount) {};
  /// Told before each question, for progress.
  std::function<void(const Line&, Depth)> on_question = [](const Line&, Depth) {};
};

/// The question whose answer was not understood, and the lines that were not. It ended the search.
struct NotUnderstood {
  Line line;
  Depth depth;
  std::vector<UnreadLine> lines;
};

struct BisectReport {
  Depth agreed;                         ///< deepest depth at which everything agrees
  NodeCount leaves;                     ///< paths at that depth
  std::vector<Difference> differences;  ///< the smallest first; empty = the engine agrees
  bool complete = true;                 ///< false if max_questions ended the search for more causes
  std::optional<NotUnderstood> not_understood;
  /// Not empty: only totals were compared, though the engine prints lines with numbers beside them.
  /// Those of the last answer.
  std::vector<UnreadLine> passed_over{};

  [[nodiscard]] bool agrees() const { return differences.empty() && !not_understood; }
  [[nodiscard]] std::vector<Cause> causes() const;  ///< distinct, in the order found
};

/// Compares depths 1, 2, … `depth`, and goes down where they differ first. Errors: the engine's,
/// and those of `options.divide`.
Result<BisectReport> bisect(AskedProgram& engine, const Line& start, Depth depth,
                            const BisectOptions& options);

}  // namespace manyply
