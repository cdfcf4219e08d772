// For every error of mutants.h, the quick tests of core/ or of counts by configurations must fail.
// Each error runs in a separate process. Without an error, the same programs must pass.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/kernel.h"
#include "tests/mutation/mutants.h"
#include "tests/support/emulated_avx512.h"
#include "tests/support/process.h"

namespace manyply {
namespace {

/// A program with errors on demand, and the quick tests that must notice them.
struct Mutated {
  std::string_view target;
  std::string binary;
  const char* filter;
};

/// Tests that compare kernels with the oracle, with known counts and with each other.
const Mutated kKernels{.target = "mutated_core_test",
                       .binary = MANYPLY_MUTATED_CORE_TEST,
                       .filter =
                           "--gtest_filter=LegalMoves.*:AgainstOracle.*:*TwoPly*:"
                           "*EachKernel.*:EmulatedAvx512.*:MoveStatistics.*:-*Slow*"};

/// The same for counts by configurations.
const Mutated kConfigurations{
    .target = "mutated_matrix_test",
    .binary = MANYPLY_MUTATED_MATRIX_TEST,
    .filter =
        "--gtest_filter=LeafKernel.*:MatrixJob.*:MatrixDivide.*:CountInParts.*:"
        "MatrixCheckpoint*:-*Slow*"};

constexpr double kLimit = 3000;  ///< seconds, far more than a busy machine takes

/// Throws if the program is missing. Otherwise it would look as if a test had noticed the error.
ProcessResult run_with(const Mutated& program, int mutant) {
  if (!std::filesystem::exists(program.binary))
    throw std::runtime_error("the target " + std::string(program.target) + " has not been built");
  ::setenv("MANYPLY_MUTANT", std::to_string(mutant).c_str(), 1);
  Process process({program.binary, program.filter, "--gtest_fail_fast", "--gtest_brief=1"});
  return process.finish(kLimit);
}

void expect_noticed(const Mutated& program, const Mutant& mutant, int number) {
  const ProcessResult result = run_with(program, number);
  EXPECT_NE(result.exit_code, 128 + SIGKILL) << "neither noticed nor not";
  EXPECT_NE(result.exit_code, 0) << "survives: " << mutant.file << ": " << mutant.original
                                 << "\n-> " << mutant.replacement;
}

bool runs_kernel(std::string_view name) { return find_kernel(name).ok(); }

/// Returns whether this machine executes the code of `file`.
bool is_reached(std::string_view file) {
  if (file == "lanes_avx512.inc") return runs_kernel("avx512") || emulated_avx512() != nullptr;
  if (file == "lanes_avx2.inc") return runs_kernel("avx2");
  return true;
}

std::string name_of(std::span<const Mutant> mutants, int number) {
  return std::string(mutants[static_cast<std::size_t>(number)].name);
}

TEST(MutationSlow, NoErrorIsSeenWhereThereIsNone) {
  for (const Mutated* program : {&kKernels, &kConfigurations}) {
    const ProcessResult result = run_with(*program, 0);
    EXPECT_EQ(result.exit_code, 0) << result.out;
  }
}

class MutationSlow : public ::testing::TestWithParam<int> {};

TEST_P(MutationSlow, IsNoticed) {
  const Mutant& mutant = mutants()[static_cast<std::size_t>(GetParam())];
  if (!is_reached(mutant.file)) GTEST_SKIP() << "no kernel here runs " << mutant.file;
  expect_noticed(kKernels, mutant, GetParam() + 1);
}

INSTANTIATE_TEST_SUITE_P(Each, MutationSlow,
                         ::testing::Range(0, static_cast<int>(mutants().size())),
                         [](const auto& info) { return name_of(mutants(), info.param); });

class ConfigurationMutationSlow : public ::testing::TestWithParam<int> {};

TEST_P(ConfigurationMutationSlow, IsNoticed) {
  const Mutant& mutant = configuration_mutants()[static_cast<std::size_t>(GetParam())];
  if (!is_reached(mutant.file)) GTEST_SKIP() << "no kernel here runs " << mutant.file;
  expect_noticed(kConfigurations, mutant, static_cast<int>(mutants().size()) + GetParam() + 1);
}

INSTANTIATE_TEST_SUITE_P(Each, ConfigurationMutationSlow,
                         ::testing::Range(0, static_cast<int>(configuration_mutants().size())),
                         [](const auto& info) {
                           return name_of(configuration_mutants(), info.param);
                         });

}  // namespace
}  // namespace manyply
