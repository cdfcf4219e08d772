// What a paste leaves open: rows may have been lost, or doubled, or cut on the way, and nobody is
// accused of that.
#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/text/engine_answer.h"

namespace manyply {

struct PasteDoubts {
  std::vector<Move> lost{};          ///< that are missing, though the program may have printed them
  std::vector<Move> cut{};           ///< whose counts are the beginnings of ours
  std::vector<std::string> torn{};   ///< moves of lines that were cut
  std::vector<std::string> notes{};  ///< all of that, in words
};

/// Only a total that the rows add up to says that all of them are there, once each, as they were
/// printed; but for rows of 0, which change no sum, and which many programs leave out. `theirs` was
/// settled, and does not contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// `compared` without what is in doubt.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
