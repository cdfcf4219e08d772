// Reads the built-in suites from files of the npm package. They are not in the module, because they
// would make up 1/8 of its compressed size, and most runs do not use them.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/base/files.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/suite_file.h"

// NOLINTBEGIN(readability-identifier-naming): a name in the host
/// Returns a descriptor from which the suite of this name can be read, or -1.
extern "C" __attribute__((import_module("manyply"), import_name("open_suite"))) int
manyply_open_suite(const char* name, std::size_t length);
// NOLINTEND(readability-identifier-naming)

namespace manyply {
std::optional<std::string_view> builtin_suite(std::string_view name) {
  // The returned views refer to these texts.
  static std::map<std::string, std::string, std::less<>> texts;
  if (std::ranges::count(kSuiteNames, name) == 0) return std::nullopt;
  const auto known = texts.find(name);
  if (known != texts.end()) return known->second;
  const int file = manyply_open_suite(name.data(), name.size());
  if (file < 0) return std::nullopt;
  Result<std::string> text = LineReader(file, {}).rest();
  files::close(file);
  if (!text) return std::nullopt;
  return texts.emplace(name, std::move(*text)).first->second;
}

}  // namespace manyply
