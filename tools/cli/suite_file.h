// Suites as files: EPD lines with counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/epd.h"
#include "tools/cli/builtin_suites.h"
#include "tools/command/flags.h"

namespace manyply {

/// Which counts of a suite.
struct SuiteLimits {
  std::optional<NodeCount> max_nodes;
};
extern const Flag<SuiteLimits> kMaxNodes;

/// A file, or the name of a suite that is built in.
inline constexpr Values kSuiteValues{ValueKind::kFile, kSuiteNames};

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
  std::vector<std::string> tags;  ///< names of what it tries of a move generator, if the file says
};

/// What people are told of `file`: "standard input" of `-`.
[[nodiscard]] std::string name_of_suite(const std::string& file);

/// The lines of `file` that hold positions, at least one; `-` is standard input, and a name of
/// kSuiteNames that suite, whatever files there are (./classic is a file); "corpus:pinned" are the
/// lines of such a suite that have the tag. The whole of it is read before anything is counted, so
/// that a mistake in its last line does not cost the hours before it. Errors name the file and the
/// line.
///
/// Tags are comments to everybody else: a line `#tag a castling: castling is legal` gives a letter
/// to a name, and `#abK` behind a position are its letters.
Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io);

}  // namespace manyply
