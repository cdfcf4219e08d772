// Finds what a paste leaves open: rows may have been lost, doubled or cut while copying, so they
// show no fault of the program.
#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/text/engine_answer.h"

namespace manyply {

struct PasteDoubts {
  std::vector<Move> lost{};          ///< missing moves that the program may have printed
  std::vector<Move> cut{};           ///< moves whose counts are the beginnings of ours
  std::vector<std::string> torn{};   ///< moves of lines that were cut
  std::vector<std::string> notes{};  ///< descriptions of all of them
};

/// Returns the doubts about a paste. There are none if the rows add up to a total, except about
/// rows of 0, which many programs leave out. Precondition: `theirs` is settled and does not
/// contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// Returns `compared` without the rows in doubt.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
