// libmanyply.so must consist of the objects of the static libraries, so that tests and measurements
// of one are valid for the other.

#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace manyply {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns what is wrong with the compilations of core/, hash/ and parallel/ in a
/// compile_commands.json. Adds their sources to `seen`.
std::vector<std::string> faults_of(const std::string& commands, std::set<std::string>& seen) {
  static const std::regex kCommand(
      R"re("command": "(.*) -o \S+/manyply_\w+\.dir/\S+ -c \S*/((core|hash|parallel)/\S+)",)re");
  std::vector<std::string> faults;
  std::istringstream lines(commands);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, kCommand)) continue;
    const std::string source = match[2];
    if (!seen.insert(source).second) faults.push_back(source + " is compiled twice");
    std::istringstream words(match[1]);
    std::set<std::string> options;
    for (std::string word; words >> word;) options.insert(word);
    // Without -fvisibility=hidden, other libraries could replace functions, and calls would go
    // through a table.
    for (const char* option : {"-fPIC", "-fvisibility=hidden"}) {
      if (!options.contains(option)) faults.push_back(source + " lacks " + option);
    }
  }
  return faults;
}

TEST(SharedLibrary, IsMadeOfTheLibrariesObjects) {
#ifndef MANYPLY_SHARED
  GTEST_SKIP() << "libmanyply.so is not built here";
#endif
  std::ifstream in(MANYPLY_BUILD_DIR "/compile_commands.json");
  std::set<std::string> seen;
  EXPECT_THAT(faults_of({std::istreambuf_iterator<char>(in), {}}, seen), IsEmpty());
  for (const char* source : {"core/kernels/kernel_avx512.cpp", "hash/hashed_avx2.cpp"})
    EXPECT_TRUE(seen.contains(source)) << source;
}

// The check must detect known faults.
TEST(SharedLibrary, FaultsWouldBeSeen) {
  std::set<std::string> seen;
  EXPECT_THAT(
      faults_of(
          R"(  "command": "c++ -fPIC -fvisibility=hidden -o core/CMakeFiles/manyply_core.dir/a.cpp.o -c /s/core/a.cpp",
  "command": "c++ -fPIC -fvisibility=hidden -o core/CMakeFiles/manyply_core_shared.dir/a.cpp.o -c /s/core/a.cpp",
  "command": "c++ -O3 -o tools/CMakeFiles/manyply_cli.dir/b.cpp.o -c /s/tools/cli/b.cpp",
  "command": "c++ -fPIC -o hash/CMakeFiles/manyply_hash.dir/U/u.cxx.o -c /b/hash/CMakeFiles/manyply_hash.dir/U/u.cxx",
)",
          seen),
      ElementsAre("core/a.cpp is compiled twice",
                  "hash/CMakeFiles/manyply_hash.dir/U/u.cxx lacks -fvisibility=hidden"));
}

}  // namespace
}  // namespace manyply
