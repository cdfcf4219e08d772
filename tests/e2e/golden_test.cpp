// Compares the output of every command that counts, in every format, and the errors that each
// reports.
#include "tests/e2e/golden.h"

#include <array>
#include <random>

#include "tests/support/budget.h"

namespace manyply {
namespace {

TEST(Golden, Counts) {
  // Formats do not depend on the build, so slow builds test only one of them.
  const std::array<std::string, 4> formats{"text", "json", "csv", "stockfish"};
  expect_golden("counts", kIsFastBuild ? "" : formats[std::random_device()() % formats.size()]);
}

}  // namespace
}  // namespace manyply
