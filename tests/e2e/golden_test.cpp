// Every command that counts, in every format, and what each refuses.
#include "tests/e2e/golden.h"

namespace manyply {
namespace {

TEST(Golden, Counts) { expect_golden("counts"); }

}  // namespace
}  // namespace manyply
