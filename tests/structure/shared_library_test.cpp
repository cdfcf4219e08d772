// libmanyply.so is the libraries once more: each source is compiled with the options that it has
// there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace manyply {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using Options = std::set<std::string>;

struct Compiled {
  Options alone;   // in the library of its folder, but not in libmanyply.so
  Options shared;  // the other way round
};

// By source file, what distinguishes its two compilations in the text of a compile_commands.json.
std::map<std::string, Compiled> compiled_twice(const std::string& commands) {
  static const std::regex kCommand(
      R"re("command": "(.*) -o \S+/(manyply_\w+)\.dir/\S+ -c \S*/((core|hash|parallel)/\S+)",)re");
  // What position-independent code that hides its names takes, and the target's own name.
  static const std::regex kExpected(
      "-fPIC|-fvisibility=hidden|-fvisibility-inlines-hidden|-D.*_EXPORTS");
  std::map<std::string, Compiled> sources;
  std::istringstream lines(commands);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, kCommand)) continue;
    std::istringstream words(match[1]);
    Options options;
    for (std::string word; words >> word;) {
      if (!std::regex_match(word, kExpected)) options.insert(word);
    }
    // Large files that gather several lie in the folder of their library.
    Compiled& source =
        sources[std::regex_replace(match[3].str(), std::regex("_shared\\.dir/"), ".dir/")];
    (match[2].str().ends_with("_shared") ? source.shared : source.alone) = options;
  }
  for (auto& [name, source] : sources) {
    const Compiled before = source;
    for (const std::string& option : before.alone) source.shared.erase(option);
    for (const std::string& option : before.shared) source.alone.erase(option);
  }
  return sources;
}

TEST(SharedLibrary, IsCompiledAsTheLibrariesAre) {
#ifndef MANYPLY_SHARED
  GTEST_SKIP() << "libmanyply.so is not built here";
#endif
  std::ifstream in(MANYPLY_BUILD_DIR "/compile_commands.json");
  const auto sources = compiled_twice({std::istreambuf_iterator<char>(in), {}});
  EXPECT_TRUE(sources.contains("core/kernel_avx512.cpp"));
  EXPECT_TRUE(sources.contains("hash/fingerprint.cpp"));
  EXPECT_TRUE(sources.contains("parallel/c_api.cpp"));
  for (const auto& [name, source] : sources) {
    EXPECT_THAT(source.alone, IsEmpty()) << name << " lacks these in libmanyply.so";
    EXPECT_THAT(source.shared, IsEmpty()) << name << " has these in libmanyply.so alone";
  }
}

// The test can fail.
TEST(SharedLibrary, DifferencesWouldBeSeen) {
  const auto sources = compiled_twice(
      R"(  "command": "c++ -I/s -O3 -mtune=new -o core/CMakeFiles/manyply_core.dir/a.cpp.o -c /s/core/a.cpp",
  "command": "c++ -I/s -O3 -fPIC -DX -o core/CMakeFiles/manyply_core_shared.dir/a.cpp.o -c /s/core/a.cpp",
  "command": "c++ -O3 -o core/CMakeFiles/manyply_core.dir/b.cpp.o -c /s/core/b.cpp",
  "command": "c++ -O3 -o core/CMakeFiles/manyply_core.dir/U/u.cxx.o -c /b/core/CMakeFiles/manyply_core.dir/U/u.cxx",
  "command": "c++ -O2 -o core/CMakeFiles/manyply_core_shared.dir/U/u.cxx.o -c /b/core/CMakeFiles/manyply_core_shared.dir/U/u.cxx",
)");
  ASSERT_THAT(sources, SizeIs(3));
  EXPECT_EQ(sources.at("core/CMakeFiles/manyply_core.dir/U/u.cxx").alone, Options{"-O3"});
  EXPECT_EQ(sources.at("core/CMakeFiles/manyply_core.dir/U/u.cxx").shared, Options{"-O2"});
  EXPECT_EQ(sources.at("core/a.cpp").alone, Options{"-mtune=new"});
  EXPECT_EQ(sources.at("core/a.cpp").shared, Options{"-DX"});
  EXPECT_EQ(sources.at("core/b.cpp").alone, (Options{"c++", "-O3"}));
}

}  // namespace
}  // namespace manyply
