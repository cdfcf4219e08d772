// Searches for the smallest difference between an engine's perft and ours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/other_question.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {

/// A position that an engine gets wrong, with the wrong moves and counts, and their causes.
struct Difference {
  Line line;
  Depth depth;  ///< depth of the question
  std::vector<Move> missed{};
  std::vector<std::string> invented{};
  std::vector<CountDifference> counts{};
  std::vector<Finding> findings{};
  /// The engine's total (nullopt if unknown) and our total. Set only in three cases: only totals
  /// are compared, the engine counts another depth, or its total is the sum of several plies.
  std::optional<NodeCount> engine_total{};
  NodeCount our_total{};
  /// Whether the engine lists the right moves when it gets the position as a FEN. Is nullopt if
  /// this was not tested.
  std::optional<bool> right_as_fen{};
  /// Only if `right_as_fen` is true: the index in `line`, from 0, of the move that the engine
  /// played wrong.
  std::optional<std::size_t> culprit{};
};

struct BisectOptions {
  std::size_t causes = 1;    ///< stop after this number of distinct causes
  int max_questions = 2000;  ///< after this number of questions, search for no more causes
  OurDivide divide;
  /// Causes that were found in other positions. If one of these causes explains a difference, the
  /// difference gets the name of this cause.
  std::vector<Cause> known{};
  /// Called for each depth at which the counts agree. Receives the depth and its number of paths.
  std::function<void(Depth, NodeCount)> on_agreed = [](Depth, NodeCount) {};
  /// Called before each question, to show progress.
  std::function<void(const Line&, Depth)> on_question = [](const Line&, Depth) {};
};

/// A question whose answer was not understood, and the lines that were not understood. Such an
/// answer ends the search.
struct NotUnderstood {
  Line line;
  Depth depth;
  std::vector<UnreadLine> lines;
};

struct BisectReport {
  Depth agreed;                         ///< greatest depth up to which all counts agree
  NodeCount leaves;                     ///< paths at depth `agreed`
  std::vector<Difference> differences;  ///< in the order found; empty if the engine agrees
  bool complete = true;                 ///< false if max_questions ended the search for more causes
  std::optional<NotUnderstood> not_understood;
  /// Lines of an answer that contain numbers but were not understood. Only the total of this answer
  /// was compared. If there are several such answers, only the lines of the last one are stored.
  std::vector<UnreadLine> passed_over{};

  [[nodiscard]] bool agrees() const { return differences.empty() && !not_understood; }
  [[nodiscard]] std::vector<Cause> causes() const;  ///< distinct, in the order found
};

/// Compares the counts at depths 1, 2, … `depth`. At the first depth with a difference, descends to
/// the positions that cause the difference. If `options.causes` is greater than the number of
/// causes found there, and the engine prints divides, continues with greater depths. Errors: those
/// of the engine and of `options.divide`.
Result<BisectReport> bisect(AskedProgram& engine, const Line& start, Depth depth,
                            const BisectOptions& options);

}  // namespace manyply
