// Tests a server that was started without standard streams, as some programs start daemons.
#include "tests/e2e/server.h"

namespace manyply {
namespace {

std::vector<std::string> closing(const std::string& streams) {
  return {"/bin/sh", "-c", "exec \"$@\" " + streams, "sh"};
}

TEST(ServeClosedStreams, ServesWithoutInputAndLog) {
  const StateDir state;
  Server server(state.path(), {}, closing("<&- 2>&-"));
  ASSERT_TRUE(server.ready());
  EXPECT_EQ(server.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(server.terminate().exit_code, 0);
}

// Otherwise the first opened file, the database, would get the number of standard output, and the
// server would write its address into the database.
TEST(ServeClosedStreams, WritesItsAddressNowhereElse) {
  const StateDir state;
  {
    Server server(state.path(), {}, closing("<&- >&-"));
    ASSERT_TRUE(server.process().wait_for_error_output("ready: "));
    const ProcessResult result = server.terminate();
    EXPECT_EQ(result.exit_code, 2) << "as of every command whose output reached nobody";
    EXPECT_THAT(result.err, ::testing::EndsWith("perft: standard output: Bad file descriptor\n"));
  }
  Server again(state.path());
  ASSERT_TRUE(again.ready()) << "the database is whole";
  EXPECT_EQ(again.terminate().exit_code, 0);
}

}  // namespace
}  // namespace manyply
