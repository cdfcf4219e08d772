// The help of all commands, and a server with those who ask it.
#include "tests/e2e/golden.h"

namespace manyply {
namespace {

TEST(Golden, Help) { expect_golden("help"); }
TEST(Golden, Server) { expect_golden("server"); }

}  // namespace
}  // namespace manyply
