// Finds doubts about a paste: rows may have been lost, doubled or cut when it was copied. The
// program is not blamed for them.
#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/text/engine_answer.h"

namespace manyply {

struct PasteDoubts {
  std::vector<Move> lost{};          ///< missing moves, which the program may have printed
  std::vector<Move> cut{};           ///< moves whose counts may have been cut
  std::vector<std::string> torn{};   ///< moves in lines that were cut
  std::vector<std::string> notes{};  ///< all of these, in words
};

/// Returns the doubts. Only a total that equals the sum of the rows proves that each row is there
/// once, as printed; except rows of 0, which change no sum, and which many programs leave out.
/// Precondition: `theirs` is settled and does not contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// Returns `compared` without everything that is in doubt.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
