// The suites with reference counts: tools/suites/*.epd except the corpus, which has separate tests
// because it has many small counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fen.h"

namespace manyply {

/// One count of one line.
struct SuiteCase {
  std::string where;  ///< "classic.epd:3"
  EpdRecord record;   ///< the whole line
  EpdCount expected;
};

/// Returns every count of every suite, cheapest first. Throws std::runtime_error if there is no
/// suite, or if a suite cannot be read.
[[nodiscard]] std::vector<SuiteCase> load_suites();

/// Returns the first counts of load_suites(): as many counts as together have at most `nodes`
/// leaves.
[[nodiscard]] std::vector<SuiteCase> load_suites_within(std::uint64_t nodes);

}  // namespace manyply
