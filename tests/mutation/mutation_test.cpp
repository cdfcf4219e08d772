// Every error of mutants.h must fail the quick tests of core/, which are run with it in a process
// of its own; without an error the same program must pass.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "core/kernel.h"
#include "tests/mutation/mutants.h"
#include "tests/support/emulated_avx512.h"
#include "tests/support/process.h"

namespace manyply {
namespace {

/// The quick tests that compare kernels with the oracle, with known counts and with each other.
constexpr const char* kFilter =
    "--gtest_filter=LegalMoves.*:AgainstOracle.*:*TwoPly*:*EachKernel.*:EmulatedAvx512.*:"
    "MoveStatistics.*:-*Slow*";

constexpr double kLimit = 3000;  ///< seconds, far more than a busy machine takes

/// Throws if there is nothing to run: that would look like a test that fails.
ProcessResult run_with(int mutant) {
  if (!std::filesystem::exists(MANYPLY_MUTATED_CORE_TEST))
    throw std::runtime_error("the target mutated_core_test has not been built");
  ::setenv("MANYPLY_MUTANT", std::to_string(mutant).c_str(), 1);
  Process process({MANYPLY_MUTATED_CORE_TEST, kFilter, "--gtest_fail_fast", "--gtest_brief=1"});
  return process.finish(kLimit);
}

bool runs_kernel(std::string_view name) { return find_kernel(name).ok(); }

/// Is the code of `file` executed here?
bool is_reached(std::string_view file) {
  if (file == "lanes_avx512.inc") return runs_kernel("avx512") || emulated_avx512() != nullptr;
  if (file == "lanes_avx2.inc") return runs_kernel("avx2");
  return true;
}

TEST(MutationSlow, NoErrorIsSeenWhereThereIsNone) {
  const ProcessResult result = run_with(0);
  EXPECT_EQ(result.exit_code, 0) << result.out;
}

class MutationSlow : public ::testing::TestWithParam<int> {};

TEST_P(MutationSlow, IsNoticed) {
  const Mutant& mutant = mutants()[static_cast<std::size_t>(GetParam())];
  if (!is_reached(mutant.file)) GTEST_SKIP() << "no kernel here runs " << mutant.file;
  const ProcessResult result = run_with(GetParam() + 1);
  EXPECT_NE(result.exit_code, 128 + SIGKILL) << "neither noticed nor not";
  EXPECT_NE(result.exit_code, 0) << "survives: core/kernels/" << mutant.file << ": "
                                 << mutant.original << "\n-> " << mutant.replacement;
}

INSTANTIATE_TEST_SUITE_P(Each, MutationSlow,
                         ::testing::Range(0, static_cast<int>(mutants().size())),
                         [](const auto& info) {
                           return std::string(mutants()[static_cast<std::size_t>(info.param)].name);
                         });

}  // namespace
}  // namespace manyply
