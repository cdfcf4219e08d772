// Compares the help of all commands, and the output of a server and of its client commands.
#include "tests/e2e/golden.h"

namespace manyply {
namespace {

TEST(Golden, Help) { expect_golden("help"); }
TEST(Golden, Server) { expect_golden("server"); }

}  // namespace
}  // namespace manyply
