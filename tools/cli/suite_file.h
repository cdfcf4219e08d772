// Suites as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/builtin_suites.h"
#include "tools/cli/framework/flags.h"
#include "tools/report/suite_writing.h"
#include "tools/text/suite.h"

namespace manyply {

/// Which counts of a suite.
struct SuiteLimits {
  std::optional<NodeCount> max_nodes;
};
extern const Flag<SuiteLimits> kMaxNodes;

/// In which form suites are written.
struct Writing {
  std::optional<SuiteForm> write;
};
extern const Flag<Writing> kWrite;

/// A file, or the name of a suite that is built in.
inline constexpr Values kSuiteValues{ValueKind::kFile, kSuiteNames};

/// The suite `file`; `-` is standard input, and a name of kSuiteNames that suite, whatever files
/// there are (./classic is a file); of "corpus:pinned" the lines of such a suite that have the tag.
/// All of it is read before anything is counted, so that what is wrong in its last line is told
/// before the hours that the others take. Errors name the file, and the line where there is one.
Result<Suite> read_suite(const std::string& file, const Io& io);

/// All lines of a file; `-` is standard input. Errors name the file.
Result<std::vector<std::string>> read_lines(const std::string& file, const Io& io);

/// On io.err, how tables were read, and which lines were refused, and why.
void tell_how_read(const Suite& suite, Io& io);

}  // namespace manyply
