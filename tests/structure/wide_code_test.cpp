// Code for wide instruction sets must stay in its own functions. If an inline function or template
// is compiled with wide instructions under a name that other object files use, the linker may keep
// that copy for all of them.

#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns the names of functions that other object files could use: all except local ones.
std::set<std::string> shared_functions(const std::string& nm_listing) {
  static const std::regex kLine("[0-9a-f]+ [TWw] (\\S+)");
  std::set<std::string> functions;
  std::istringstream lines(nm_listing);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kLine)) functions.insert(match[1]);
  }
  return functions;
}

/// Returns those of `functions` whose code contains an instruction that not every x86-64 processor
/// has. Does not report tzcnt, because compilers use it where old machines may read bsf.
std::set<std::string> wide_functions(const std::set<std::string>& functions,
                                     const std::string& disassembly) {
  static const std::regex kHead("[0-9a-f]+ <(\\S+)>:");
  static const std::regex kWide(
      "\\s+[0-9a-f]+:\\s+(v[a-z0-9]+|k(mov|or|and|test)[a-z]+|pext|pdep|shlx|shrx|sarx|rorx|andn|"
      "bls[a-z]+|bextr|bzhi|lzcnt|popcnt|mulx)\\s.*");
  std::set<std::string> wide;
  std::string function;
  std::istringstream lines(disassembly);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kHead)) function = match[1];
    if (functions.contains(function) && std::regex_match(line, kWide)) wide.insert(function);
  }
  return wide;
}

std::string output_of(std::vector<std::string> command, const fs::path& object) {
  command.push_back(object.string());
  const ProcessResult result = run_process(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(WideCode, IsNotSharedWithOthers) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "portable code only";
#endif
  if (!fs::exists("/usr/bin/nm") || !fs::exists("/usr/bin/objdump"))
    GTEST_SKIP() << "binutils are not installed";
  const fs::path build = MANYPLY_BUILD_DIR;
  for (const auto& [name, symbol] : {std::pair("core/kernels/kernel_avx512", "kKernel"),
                                     {"core/kernels/kernel_avx2", "kKernel"},
                                     {"core/configurations/kernels_avx512", "kLeafKernel"},
                                     {"core/configurations/kernels_avx2", "kLeafKernel"},
                                     {"hash/hashed_avx512", "kHashedKernel"},
                                     {"hash/hashed_avx2", "kHashedKernel"}}) {
    const fs::path source(std::string(name) + ".cpp.o");
    const fs::path folder = *source.begin();
    const fs::path object = build / folder / "CMakeFiles" /
                            ("manyply_" + folder.string() + ".dir") /
                            source.lexically_relative(folder);
    const std::string symbols = output_of({"/usr/bin/nm", "--defined-only"}, object);
    EXPECT_THAT(symbols, HasSubstr(symbol));
    const std::string code = output_of({"/usr/bin/objdump", "-d", "--no-show-raw-insn"}, object);
    EXPECT_THAT(code, HasSubstr("Disassembly of section"));
    EXPECT_THAT(wide_functions(shared_functions(symbols), code), IsEmpty()) << object;
  }
}

// The check must detect known faults.
TEST(WideCode, WouldBeSeen) {
  const auto functions = shared_functions(
      "0000000000000000 W _Z4wideV\n0000000000000010 W _Z6narrowV\n"
      "0000000000000000 t _Z6hiddenV\n0000000000000000 V _Z4data\n");
  EXPECT_THAT(functions, ElementsAre("_Z4wideV", "_Z6narrowV"));
  EXPECT_THAT(wide_functions(functions,
                             "0000000000000000 <_Z4wideV>:\n"
                             "   5:\tpext   %rsi,%rax,%rax\n"
                             "0000000000000010 <_Z6narrowV>:\n  10:\tmov    %rdi,%rax\n"
                             "0000000000000000 <_Z6hiddenV>:\n   0:\tvpand  %ymm0,%ymm1,%ymm2\n"),
              ElementsAre("_Z4wideV"));
}

}  // namespace
}  // namespace manyply
