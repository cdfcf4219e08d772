// Checks the source tree: which files may include which headers, and the contents of the top
// folder.

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace manyply {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

using Tree = std::map<std::string, std::string>;  // path from the root -> text

// Each folder, and the folders that it may include.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {"core"}},
    {"hash", {"core", "hash"}},
    {"parallel", {"core", "hash", "parallel"}},
    {"tools", {"core", "hash", "parallel", "tools"}},
    {"bench", {"core", "hash", "parallel", "tools", "bench"}},
    {"tests", {"core", "hash", "parallel", "tools", "tests"}},
};

// The parts of tools/, and the other parts that each may include; "" means the files in tools/
// itself.
const std::map<std::string, std::set<std::string>> kRoomMayInclude = {
    {"text", {"text"}},
    {"engine", {"engine", "text", "wasm/runtime"}},
    {"report", {"report", "text"}},
    {"diagnose", {"diagnose", "engine", "report", "text"}},
    {"diagnose/keys", {"diagnose/keys", "diagnose", "engine", "report", "text"}},
    {"c_api", {"c_api", "diagnose", "engine", "report", "text"}},
    {"cli/framework", {"cli/framework", "report", "text", "wasm/runtime"}},
    {"cli", {"cli", "cli/framework", "diagnose", "diagnose/keys", "engine", "report", "text"}},
    {"client", {"client", "cli/framework", "report", "text"}},
    {"server",
     {"server", "server/http", "server/jobs", "cli/framework", "report", "text", "diagnose"}},
    // The transport must not depend on jobs, and jobs must not depend on HTTP.
    {"server/http", {"server/http", "report", "text"}},
    {"server/jobs", {"server/jobs", "report", "text"}},
    {"campaign", {"campaign", "cli/framework", "report", "text"}},
    {"wasm", {"wasm", "cli/framework", "diagnose", "engine", "report", "text"}},
    {"wasm/runtime", {"wasm/runtime"}},
    {"", {"campaign", "cli", "cli/framework", "client", "report", "server", "text"}},
};

// In report/, questions do not depend on the code that counts. Only answer.h includes that code. A
// format may include the header of the result that it writes.
const std::set<std::string> kParallelForFormats = {
    "parallel/jobs/estimate.h", "parallel/jobs/job.h", "parallel/jobs/statistics_job.h",
    "parallel/jobs/unique_job.h", "parallel/jobs/verify.h"};

// core/ and hash/ run without an operating system: no threads, locks or files. Only core/base uses
// a system; tests/wasm32 compiles all other files without one.
const std::set<std::string> kNeedsASystem = {"barrier",    "condition_variable",
                                             "execution",  "filesystem",
                                             "fstream",    "future",
                                             "iostream",   "istream",
                                             "latch",      "mutex",
                                             "ostream",    "pthread.h",
                                             "semaphore",  "shared_mutex",
                                             "stop_token", "syncstream",
                                             "thread",     "unistd.h"};
// core/ is arithmetic, without any input or output.
const std::set<std::string> kNotInCore = {"cstdio", "stdio.h"};

// Headers of the compiler that are not in the C++ standard.
const std::set<std::string> kCompilerHeaders = {"arm_neon.h", "cpuid.h", "immintrin.h",
                                                "wasm_simd128.h"};

// The transport in tools/server/http. Only its files use Boost's sockets. Other code may include
// only http_server.h, which does not include Boost.
const std::set<std::string> kTransport = {"tools/server/http/connections.cpp",
                                          "tools/server/http/connections.h",
                                          "tools/server/http/http_server.cpp"};

bool is_standard(const std::string& header) {
  return header.find('/') == std::string::npos && header.find('.') == std::string::npos;
}

class Checker {
 public:
  explicit Checker(const Tree& tree) : tree_(tree) {
    for (const auto& [path, text] : tree) check_file(path, text);
  }

  // Returns the violations as lines "path:line: what".
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void check_file(const std::string& path, const std::string& text) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    static const std::regex kTbbName(R"(\b(tbb|oneapi)\s*::|namespace\s+(tbb|oneapi)\b)");
    static const std::regex kString(R"re("(\\.|[^"\\])*")re");
    static const std::regex kComparedNames(R"((\.|->)name\s*[!=]=\s*[\w:*().>-]*(\.|->)name\b)");
    path_ = path;
    line_ = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      const std::string code = line.substr(0, line.find("//"));
      std::smatch match;
      // Searching for patterns is slow, and most lines contain none of their words.
      const auto has = [&code](std::string_view part) {
        return code.find(part) != std::string::npos;
      };
      if (has("include") && std::regex_search(code, match, kInclude)) {
        match[1] == "\"" ? check_own(match[2]) : check_foreign(match[2]);
      } else if ((has("tbb") || has("oneapi")) &&
                 std::regex_search(std::regex_replace(code, kString, ""), kTbbName)) {
        check_tbb("a TBB name");
      } else if (is_product(path_) && has("name") && std::regex_search(code, kComparedNames)) {
        report("what is told apart by its name: let it say what it is");
      }
    }
  }

  void check_own(const std::string& header) {
    const std::string from = folder_of(path_);
    const std::string to = folder_of(header);
    if (!tree_.contains(header)) {
      report("\"" + header + "\" is no file of this repository");
    } else if (!kMayInclude.at(from).contains(to)) {
      report(from + " must not include " + to);
    } else if (path_.starts_with("core/base/") && !header.starts_with("core/base/")) {
      report("core/base must not include the rest of core");
    } else if (header.ends_with("_registry.h") && from != to) {
      report(header + " is private to " + to);
    } else if (is_product(path_) && kTransport.contains(header) && !kTransport.contains(path_)) {
      report(header + " is private to tools/server's transport");
    } else if (from == "tools") {
      check_room(header);
    }
  }

  void check_room(const std::string& header) {
    const std::string room = room_of(path_);
    const std::string other = room_of(header);
    if (!kRoomMayInclude.contains(room)) {
      report("tools/" + room + " is no room that the rules know");
    } else if (folder_of(header) == "tools" && !kRoomMayInclude.at(room).contains(other)) {
      report("tools/" + room + " must not include tools/" + other);
    } else if ((room == "report" || room == "text") && folder_of(header) == "parallel" &&
               !path_.starts_with("tools/report/answer.") &&
               !(path_.find("_format") != std::string::npos &&
                 kParallelForFormats.contains(header))) {
      report(header + " belongs in tools/report/answer.h");
    }
  }

  void check_foreign(const std::string& header) {
    const std::string folder = folder_of(path_);
    if (kMayInclude.contains(folder_of(header))) {
      report("own header in angle brackets: " + header);
    } else if (header.starts_with("tbb/") || header.starts_with("oneapi/")) {
      check_tbb(header);
    } else if (header.starts_with("xxh")) {
      if (path_ != "hash/fingerprint.cpp") report(header + " belongs in hash/fingerprint.cpp");
    } else if (path_.starts_with("core/base/")) {
      if (header.find('/') != std::string::npos && !header.starts_with("sys/"))
        report("core/base must not use the third-party header <" + header + ">");
    } else if (folder == "core" || folder == "hash") {
      check_without_system(header);
    } else if (header.starts_with("libpq")) {
      if (path_ != "tools/campaign/postgres.cpp")
        report(header + " belongs in tools/campaign/postgres.cpp");
    } else if (header.starts_with("boost/") && path_ != "tools/server/http/http_message.cpp" &&
               !kTransport.contains(path_)) {
      report(header + " belongs in tools/server's transport or http_message.cpp");
    }
  }

  void check_without_system(const std::string& header) {
    const std::string folder = folder_of(path_);
    if (kNeedsASystem.contains(header) || (folder == "core" && kNotInCore.contains(header))) {
      report(folder + " must not use <" + header + ">");
    } else if (!is_standard(header) && !kCompilerHeaders.contains(header)) {
      report(folder + " must not use the third-party header <" + header + ">");
    }
  }

  void check_tbb(const std::string& what) {
    if (folder_of(path_) != "parallel" || !path_.ends_with(".cpp")) {
      report(what + " belongs in parallel/*.cpp");
    }
  }

  void report(const std::string& what) {
    violations_.push_back(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  static bool is_product(const std::string& path) {
    return !path.starts_with("tests/") && !path.starts_with("bench/");
  }
  static std::string folder_of(const std::string& path) { return path.substr(0, path.find('/')); }
  /// Returns the folder below tools/ for a path in tools/.
  static std::string room_of(const std::string& path) {
    const std::size_t first = path.find('/') + 1;
    const std::size_t last = path.rfind('/');
    return last < first ? "" : path.substr(first, last - first);
  }

  const Tree& tree_;
  std::string path_;
  int line_ = 0;
  std::vector<std::string> violations_;
};

std::vector<std::string> violations(const Tree& tree) { return Checker(tree).violations(); }

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Tree sources() {
  Tree tree;
  const fs::path root = MANYPLY_SOURCE_DIR;
  for (const auto& [folder, unused] : kMayInclude) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".inc" && extension != ".cpp") continue;
      tree[entry.path().lexically_relative(root).generic_string()] = read(entry.path());
    }
  }
  return tree;
}

TEST(IncludeDirection, HoldsForTheSources) {
  const Tree tree = sources();
  EXPECT_THAT(tree, Contains(::testing::Key("core/types.h")));
  EXPECT_THAT(violations(tree), IsEmpty());
}

TEST(IncludeDirection, AcceptsTheWayDown) {
  EXPECT_THAT(
      violations({{"core/a.h", "#include <vector>\n#include <immintrin.h>\n"},
                  {"hash/b.h", "#include \"core/a.h\"\n"},
                  {"hash/fingerprint.cpp", "#include <xxhash.h>\n"},
                  {"parallel/c.cpp", "#include <tbb/task_arena.h>\ntbb::task_arena arena;\n"},
                  {"tools/cli/d.cpp", "#include \"hash/b.h\"  // not tbb::anything\n"},
                  {"tests/core/e_test.cpp", "#include \"tools/cli/d.h\"\n"},
                  {"tools/cli/d.h", ""},
                  {"bench/f_bench.cpp", "  # include \"hash/b.h\"\n"}}),
      IsEmpty());
}

TEST(IncludeDirection, RefusesTheWayUp) {
  const Tree tree = {{"core/a.h", "\n#include \"hash/b.h\"\n"},
                     {"hash/b.h", "#include \"parallel/c.h\"\n"},
                     {"parallel/c.h", "#include \"tools/d.h\"\n"},
                     {"tools/d.h", "#include \"tests/support/e.h\"\n"},
                     {"tests/support/e.h", "#include \"bench/f.h\"\n"},
                     {"bench/f.h", "#include \"tests/support/e.h\"\n"}};
  EXPECT_THAT(violations(tree), ElementsAre("bench/f.h:1: bench must not include tests",
                                            "core/a.h:2: core must not include hash",
                                            "hash/b.h:1: hash must not include parallel",
                                            "parallel/c.h:1: parallel must not include tools",
                                            "tests/support/e.h:1: tests must not include bench",
                                            "tools/d.h:1: tools must not include tests"));
}

TEST(IncludeDirection, LetsTheRoomsOfToolsIncludeWhatLiesBelow) {
  EXPECT_THAT(violations({{"tools/report/question.h", "#include \"core/a.h\"\n"},
                          {"tools/report/answer.cpp", "#include \"parallel/jobs/job.h\"\n"},
                          {"tools/report/count_format.h", "#include \"parallel/jobs/job.h\"\n"},
                          {"tools/diagnose/comparison.h", "#include \"tools/report/question.h\"\n"},
                          {"tools/cli/framework/help.h", "#include \"tools/report/question.h\"\n"},
                          {"tools/cli/commands.h", "#include \"tools/cli/framework/help.h\"\n"},
                          {"tools/client/c.h", "#include \"tools/cli/framework/help.h\"\n"},
                          {"tools/server/s.h", "#include \"tools/diagnose/comparison.h\"\n"},
                          {"tools/main.cpp",
                           "#include \"tools/server/s.h\"\n#include \"tools/cli/commands.h\"\n"},
                          {"core/a.h", ""},
                          {"parallel/jobs/job.h", ""}}),
              IsEmpty());
}

TEST(IncludeDirection, KeepsTheRoomsOfToolsApart) {
  const std::map<std::string, std::vector<std::string>> forbidden{
      {"report", {"cli/framework", "cli", "diagnose", "server"}},
      {"text", {"report", "engine"}},
      {"engine", {"report"}},
      {"diagnose", {"cli", "diagnose/keys"}},
      {"cli/framework", {"cli", "server", "diagnose"}},
      {"cli", {"client", "server", "campaign", "c_api"}},
      {"client", {"cli", "server", "diagnose", "campaign"}},
      {"server", {"cli", "client", "engine"}},
      {"campaign", {"cli", "server"}},
      {"c_api", {"cli"}}};
  for (const auto& [room, others] : forbidden) {
    for (const std::string& other : others) {
      const std::string header = "tools/" + other + "/x.h";
      const std::string source = "tools/" + room + "/y.cpp";
      EXPECT_THAT(violations({{header, ""}, {source, "#include \"" + header + "\"\n"}}),
                  ElementsAre(source + ":1: tools/" + room + " must not include tools/" + other));
    }
  }
  EXPECT_THAT(violations({{"core/a.h", ""}, {"tools/attic/a.cpp", "#include \"core/a.h\"\n"}}),
              ElementsAre(HasSubstr("tools/attic is no room")));
}

TEST(IncludeDirection, WhatIsAskedDoesNotKnowWhoCounts) {
  for (const char* path : {"tools/report/question.cpp", "tools/text/number_text.h"}) {
    EXPECT_THAT(
        violations({{"parallel/jobs/job.h", ""}, {path, "#include \"parallel/jobs/job.h\"\n"}}),
        ElementsAre(HasSubstr("parallel/jobs/job.h belongs in tools/report/answer.h")));
  }
  EXPECT_THAT(
      violations(
          {{"parallel/units/checkpoint_file.h", ""},
           {"tools/report/a_format.cpp", "#include \"parallel/units/checkpoint_file.h\"\n"}}),
      ElementsAre(HasSubstr("parallel/units/checkpoint_file.h belongs in tools/report/answer.h")));
}

TEST(IncludeDirection, RefusesStrangersInCore) {
  for (const char* header : {"thread", "mutex", "iostream", "cstdio", "unistd.h", "fmt/format.h",
                             "boost/asio.hpp", "gtest/gtest.h"}) {
    EXPECT_THAT(violations({{"core/a.h", "#include <" + std::string(header) + ">\n"}}),
                ElementsAre(HasSubstr(header)))
        << header;
  }
}

TEST(IncludeDirection, AllowsOperatingSystemsInBaseOnly) {
  for (const char* header : {"stop_token", "thread", "fstream", "unistd.h", "sys/mman.h"}) {
    const std::string include = "#include <" + std::string(header) + ">\n";
    EXPECT_THAT(violations({{"hash/table.cpp", include}}), ElementsAre(HasSubstr(header)));
    EXPECT_THAT(violations({{"core/base/linux_machine.cpp", include}}), IsEmpty()) << header;
  }
  EXPECT_THAT(violations({{"hash/table.cpp", "#include <cstdio>\n"}}), IsEmpty());
  EXPECT_THAT(violations({{"core/base/text.cpp", "#include <fmt/format.h>\n"}}),
              ElementsAre(HasSubstr("third-party")));
  EXPECT_THAT(violations({{"core/fen.h", ""}, {"core/base/a.cpp", "#include \"core/fen.h\"\n"}}),
              ElementsAre(HasSubstr("rest of core")));
}

TEST(IncludeDirection, KeepsThirdPartiesInTheirPlace) {
  EXPECT_THAT(violations({{"hash/table.cpp", "#include <xxhash.h>\n"}}),
              Contains("hash/table.cpp:1: xxhash.h belongs in hash/fingerprint.cpp"));
  EXPECT_THAT(violations({{"tools/server/routes.cpp", "#include <boost/asio.hpp>\n"}}),
              ElementsAre(HasSubstr("belongs in tools/server's transport")));
  EXPECT_THAT(
      violations({{"tools/server/http/connections.h", ""},
                  {"tools/server/routes.cpp", "#include \"tools/server/http/connections.h\"\n"}}),
      ElementsAre(HasSubstr("private to tools/server's transport")));
  EXPECT_THAT(violations({{"tools/campaign/campaign_store.cpp", "#include <libpq-fe.h>\n"}}),
              ElementsAre(HasSubstr("belongs in tools/campaign/postgres.cpp")));
  for (const char* code : {"#include <tbb/task_arena.h>", "#include <oneapi/tbb.h>",
                           "namespace tbb { class x; }", "tbb::task_arena* arena;"}) {
    for (const char* path : {"parallel/jobs/job.h", "hash/table.cpp", "tools/cli/count.cpp"}) {
      EXPECT_THAT(violations({{path, code}}), ElementsAre(HasSubstr("belongs in parallel/*.cpp")))
          << path << ' ' << code;
    }
  }
}

TEST(IncludeDirection, RegistriesArePrivateToTheirFolder) {
  EXPECT_THAT(violations({{"core/kernels/kernel_registry.h", ""},
                          {"core/kernel.cpp", "#include \"core/kernels/kernel_registry.h\"\n"},
                          {"hash/a.h", "#include \"core/kernels/kernel_registry.h\"\n"}}),
              ElementsAre("hash/a.h:1: core/kernels/kernel_registry.h is private to core"));
}

// Code must not compare names, especially names of kernels: two kernels may have the same name, and
// a copy with another name is still the same kernel.
TEST(Names, AreNotWhatThingsAreToldApartBy) {
  for (const char* code : {"if (kernel.name == avx2::kKernel.name) return runs_avx2();",
                           "if (hashed->name == kernel.name) return *hashed;",
                           "  kernel_for(*options.kernel).name != job->kernel->name) {"}) {
    EXPECT_THAT(violations({{"core/kernel.cpp", code}}), ElementsAre(HasSubstr("by its name")))
        << code;
  }
  EXPECT_THAT(violations({{"core/kernel.cpp", "if (kernel.name == name) return &kernel;"},
                          {"tests/a.cpp", "EXPECT_TRUE(a.name == b.name);"}}),
              IsEmpty());
}

TEST(IncludeDirection, RefusesPathsNotFromTheRoot) {
  EXPECT_THAT(violations({{"core/a.h", ""}, {"core/b.h", "#include \"a.h\"\n"}}),
              ElementsAre("core/b.h:1: \"a.h\" is no file of this repository"));
  EXPECT_THAT(violations({{"hash/a.h", ""}, {"hash/b.h", "#include <hash/a.h>\n"}}),
              ElementsAre("hash/b.h:1: own header in angle brackets: hash/a.h"));
}

// If two source files define types with the same name, the linker keeps the inline functions of
// only one of these types, so code of one file runs on objects of the other. For headers, the
// compiler finds such types (all_headers.cmake). In a source file, a type must be in an unnamed
// namespace, be a member, or be declared in a header.
std::vector<std::string> types_that_others_could_mean(const Tree& tree) {
  static const std::regex kType(
      R"((?:template <.*> )?(?:struct|class|union|enum|enum class) (\w+)(?: final)?(?: :.*)? \{.*)");
  std::string headers;
  for (const auto& [path, text] : tree) {
    if (path.ends_with(".h")) headers += text;
  }
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    if (!path.ends_with(".cpp")) continue;
    bool local = false;
    std::istringstream lines(text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (line == "namespace {") local = true;
      if (line == "}  // namespace") local = false;
      if (!local && std::regex_match(line, match, kType) &&
          !std::regex_search(headers, std::regex("(struct|class) " + match[1].str() + "( \\w+)?;")))
        found.push_back(path + ": " + match[1].str());
    }
  }
  return found;
}

TEST(OneDefinition, HoldsForTypesOfOneSource) {
  EXPECT_THAT(types_that_others_could_mean(sources()), IsEmpty());
}

TEST(OneDefinition, OthersWouldBeSeen) {
  EXPECT_THAT(types_that_others_could_mean(
                  {{"a.h", "struct Declared;\nclass Outer { struct Inner; };\n"},
                   {"a.cpp",
                    "namespace x {\nnamespace {\nstruct Own {\n};\n}  // namespace\nstruct "
                    "Outer::Inner {\n};\n"
                    "struct Declared {\n};\nclass Odd final : public Own {\n};\nenum class Also : "
                    "int { kA };\n"
                    "template <typename T> struct Third {};\n}  // namespace x\n"}}),
              ElementsAre("a.cpp: Odd", "a.cpp: Also", "a.cpp: Third"));
}

// Returns the files that git tracks. Without git, or in an unpacked archive, returns all files
// except build folders.
std::set<std::string> top_level() {
  const fs::path root = MANYPLY_SOURCE_DIR;
  std::set<std::string> names;
  const std::string command = "cd '" + root.string() +
                              "' && test -e .git && git -c safe.directory='*' ls-files "
                              "--cached 2>/dev/null | cut -d/ -f1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 512> line;
  while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
    const std::string name = line.data();
    names.insert(name.substr(0, name.find('\n')));
  }
  if (!names.empty()) return names;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().filename() != "build" && !fs::exists(entry.path() / "CMakeCache.txt")) {
      names.insert(entry.path().filename().string());
    }
  }
  return names;
}

TEST(TopLevel, HoldsNothingButWhatWasAgreed) {
  std::set<std::string> names = top_level();
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  EXPECT_THAT(names, Contains("core"));
  EXPECT_THAT(names, IsSubsetOf({"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md",
                                 "bench", "core", "hash", "parallel", "tests", "tools"}));
}

}  // namespace
}  // namespace manyply
