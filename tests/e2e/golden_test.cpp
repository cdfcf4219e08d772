// Every command that counts, in every format, and what each refuses.
#include "tests/e2e/golden.h"

#include <array>
#include <random>

#include "tests/support/budget.h"

namespace manyply {
namespace {

TEST(Golden, Counts) {
  // Formats are the same in every build.
  const std::array<std::string, 4> formats{"text", "json", "csv", "stockfish"};
  expect_golden("counts", kIsFastBuild ? "" : formats[std::random_device()() % formats.size()]);
}

}  // namespace
}  // namespace manyply
