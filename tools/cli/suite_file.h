// Reads suites from files.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/shared_flags.h"
#include "tools/report/suite_format.h"
#include "tools/text/suite.h"

// The built-in suites are the files of tools/suites. The npm package and the Python wheel do not
// contain the large suite.

namespace manyply {

inline constexpr std::array<std::string_view, 6> kSuiteNames{"classic", "tricky", "chess960",
                                                             "deep",    "corpus", "large"};
/// By default, an engine is checked with the first kQuickSuites suites of kSuiteNames. The last
/// suite takes ten times as long as all others together, so it runs only on request.
inline constexpr std::size_t kQuickSuites = 5;

/// Returns the text of the suite; nullopt if this build has no suite with this name.
[[nodiscard]] std::optional<std::string_view> builtin_suite(std::string_view name);

/// Selects which counts of a suite are used.
struct SuiteLimits {
  std::optional<NodeCount> max_nodes;
};
extern const Flag<SuiteLimits> kMaxNodes;

/// The format in which suites are written.
struct Writing {
  std::optional<SuiteForm> write;
};
extern const Flag<Writing> kWrite;

/// A file, or the name of a built-in suite.
inline constexpr Values kSuiteValues{ValueKind::kFile, kSuiteNames};

/// Reads the suite `file`; `-` is standard input. A name in kSuiteNames, such as "classic", means
/// the built-in suite if this build contains it. To read a file of that name, the user writes
/// ./classic. "corpus:pinned" selects the lines of the built-in suite corpus that have the tag
/// "pinned".
///
/// Reads the whole suite before counting starts. Otherwise an error in the last line might appear
/// only after hours. Errors name the file and, if possible, the line.
Result<Suite> read_suite(const std::string& file, const Io& io);

/// Prints on io.err how the format of the suite was interpreted, which lines were refused, and why.
void tell_how_read(const Suite& suite, Io& io);

}  // namespace manyply
