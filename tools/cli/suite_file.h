// Suites as files: EPD lines with counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/epd.h"
#include "tools/command/flags.h"

namespace manyply {

/// Which suite, and which counts of it.
struct SuiteChoice {
  std::string file;  ///< - is standard input
  std::optional<NodeCount> max_nodes;
};
extern const Flag<SuiteChoice> kMaxNodes;

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
};

/// What people are told of `file`: "standard input" of `-`.
[[nodiscard]] std::string name_of_suite(const std::string& file);

/// The lines of `file` that hold positions, at least one; `-` is standard input. The whole file is
/// read before anything is counted, so that a mistake in its last line does not cost the hours
/// before it. Errors name the file and the line.
Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io);

}  // namespace manyply
