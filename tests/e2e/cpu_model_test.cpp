// Runs the programs on processors with fewer instructions than this one, in QEMU's user mode. The
// program must choose the right kernel, every kernel that runs there must count correctly, and no
// other part of the program may use missing instructions (it would crash). Debian 12's QEMU 7.2
// does not emulate AVX-512, so the emulated processors have at most AVX2.

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "tests/support/budget.h"
#include "tests/support/process.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

constexpr const char* kEmulator = "/usr/bin/qemu-x86_64";

/// Returns why this machine can emulate nothing; empty if it can.
std::string obstacle() {
#if !defined(__x86_64__)
  return "these programs are not for x86-64";
#elif defined(MANYPLY_SANITIZED)
  return "sanitizers want the address space that the emulator sits in";
#else
  return ::access(kEmulator, X_OK) == 0 ? "" : std::string(kEmulator) + " (qemu-user) is not there";
#endif
}

ProcessResult run_on(const std::string& cpu, const std::vector<std::string>& command) {
  std::vector<std::string> argv{kEmulator, "-cpu", cpu};
  argv.insert(argv.end(), command.begin(), command.end());
  Process process(argv);
  process.close_input();
  return process.finish(7000);
}

struct CpuModel {
  const char* name;  ///< name of the test
  const char* cpu;
  const char* kernel;                ///< the kernel that `auto` must select there
  std::vector<const char*> refused;  ///< kernels that cannot run there
};

const std::vector<CpuModel>& models() {
  static const std::vector<CpuModel> list{
      {"WithoutAvx512", "Haswell", "avx2", {"avx512"}},
      {"WithoutAvx2", "Haswell,-avx2", "portable", {"avx512", "avx2"}},
      {"WithoutBmi2", "Haswell,-bmi2", "portable", {"avx512", "avx2"}},
      {"SandyBridge", "SandyBridge", "portable", {"avx512", "avx2"}},
      {"Nehalem", "Nehalem", "portable", {"avx512", "avx2"}},
      {"First64Bit", "Opteron_G1", "portable", {"avx512", "avx2"}},
      {"Zen", "EPYC", "avx2", {"avx512"}},
      // PEXT is slow microcode here: it must not be chosen by default, but the user may choose it.
      {"MicrocodedPext", "EPYC,-avx2", "portable", {"avx512", "avx2"}},
      {"FastPext", "EPYC-Milan,-avx2", "portable", {"avx512", "avx2"}},
  };
  return list;
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) {
  return models()[info.param].name;
}

class CpuModels : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (const std::string reason = obstacle(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static const CpuModel& model() { return models()[GetParam()]; }

  static ProcessResult perft(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{MANYPLY_PERFT_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_on(model().cpu, command);
  }

  static void expect_tests_pass(const std::string& program, const std::string& divisor) {
    ::setenv("MANYPLY_TEST_BUDGET", divisor.c_str(), 1);
    const ProcessResult result =
        run_on(model().cpu, {program, "--gtest_filter=-*Slow*:*Stress*", "--gtest_brief=1"});
    ::unsetenv("MANYPLY_TEST_BUDGET");
    // CTest must not read the emulated program's skipped tests as a skip of this test.
    const std::string told = std::regex_replace(result.out, std::regex("\\[ *SKIPPED *\\]"), "-");
    EXPECT_EQ(result.exit_code, 0) << told << result.err;
    EXPECT_NE(result.out.find("[  PASSED  ]"), std::string::npos) << told;
  }
};

TEST_P(CpuModels, ChooseTheKernelAndCountRight) {
  const ProcessResult start = perft({"count", "4", "--format", "json"});
  EXPECT_EQ(start.exit_code, 0) << start.err;
  EXPECT_THAT(start.out, HasSubstr(R"("kernel":")" + std::string(model().kernel) + '"'));
  EXPECT_THAT(start.out, HasSubstr(R"("nodes":"197281")"));

  const ProcessResult kiwipete =
      perft({"count", "4", "--fen",
             "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "--hash",
             "16M", "--format", "json"});
  EXPECT_EQ(kiwipete.exit_code, 0) << kiwipete.err;
  EXPECT_THAT(kiwipete.out, HasSubstr(R"("nodes":"4085603")"));
}

TEST_P(CpuModels, RefuseWhatTheyCannotRun) {
  for (const std::string kernel : {"avx512", "avx2", "portable"}) {
    if (kernel == model().kernel) continue;  // this kernel has already counted above
    const ProcessResult result = perft({"count", "3", "--kernel", kernel, "--format", "json"});
    if (std::ranges::find(model().refused, kernel) != model().refused.end()) {
      EXPECT_EQ(result.exit_code, 2) << kernel;
      EXPECT_THAT(result.err, HasSubstr("cannot run '" + kernel + "'"));
    } else {
      EXPECT_EQ(result.exit_code, 0) << kernel << ": " << result.err;
      EXPECT_THAT(result.out, HasSubstr(R"("nodes":"8902")"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CpuModels, ::testing::Range(std::size_t{0}, models().size()),
                         name_of);

/// The quick tests with less random work, on the model where most kernels run. The tests of all
/// models are slow.
class CpuModelTests : public CpuModels {};

TEST_P(CpuModelTests, PassCore) { expect_tests_pass(MANYPLY_CORE_TEST, "128"); }

INSTANTIATE_TEST_SUITE_P(Each, CpuModelTests, ::testing::Values(0), name_of);

class CpuModelTestsSlow : public CpuModels {};

TEST_P(CpuModelTestsSlow, PassCore) { expect_tests_pass(MANYPLY_CORE_TEST, "16"); }
TEST_P(CpuModelTestsSlow, PassHash) { expect_tests_pass(MANYPLY_HASH_TEST, "64"); }
TEST_P(CpuModelTestsSlow, PassParallel) { expect_tests_pass(MANYPLY_PARALLEL_TEST, "64"); }
TEST_P(CpuModelTestsSlow, PassTools) { expect_tests_pass(MANYPLY_TOOLS_TEST, "64"); }

INSTANTIATE_TEST_SUITE_P(Each, CpuModelTestsSlow, ::testing::Range(std::size_t{0}, models().size()),
                         name_of);

}  // namespace
}  // namespace manyply
