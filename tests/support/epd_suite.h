// The suites of truth: tools/suites/*.epd, without the corpus, whose many small counts have tests
// of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/epd.h"

namespace manyply {

/// One count of one line.
struct SuiteCase {
  std::string where;  ///< "classic.epd:3"
  EpdRecord record;   ///< the whole line
  EpdCount expected;
};

/// Every count of every suite, the cheapest first. Throws std::runtime_error for a suite that
/// cannot be read, or is not there at all.
[[nodiscard]] std::vector<SuiteCase> load_suites();

/// The cheapest counts of all suites that together stay within `nodes`.
[[nodiscard]] std::vector<SuiteCase> load_suites_within(std::uint64_t nodes);

}  // namespace manyply
