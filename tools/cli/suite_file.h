// Suites as files: EPD lines with counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/builtin_suites.h"
#include "tools/command/flags.h"
#include "tools/question/suite.h"

namespace manyply {

/// Which counts of a suite.
struct SuiteLimits {
  std::optional<NodeCount> max_nodes;
};
extern const Flag<SuiteLimits> kMaxNodes;

/// A file, or the name of a suite that is built in.
inline constexpr Values kSuiteValues{ValueKind::kFile, kSuiteNames};

/// What people are told of `file`: "standard input" of `-`.
[[nodiscard]] std::string name_of_suite(const std::string& file);

/// The lines of `file` that hold positions, at least one; `-` is standard input, and a name of
/// kSuiteNames that suite, whatever files there are (./classic is a file); "corpus:pinned" are the
/// lines of such a suite that have the tag. The whole of it is read before anything is counted, so
/// that a mistake in its last line does not cost the hours before it. Errors name the file and the
/// line.
Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io);

}  // namespace manyply
