// Runs the commands that READMEs show for the server.
#include "tests/e2e/readme.h"
#include "tests/e2e/server.h"

namespace manyply {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

void expect_shown(const std::vector<Example>& examples) {
  const StateDir dir;
  Server server(dir.path());
  ASSERT_TRUE(server.ready());
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  for (const Example& example : examples) {
    std::string command = replaced(example.command, "127.0.0.1:8080", address);
    command = replaced(command, "tools/perft.sh", MANYPLY_PERFT_BINARY);
    if (command.starts_with(MANYPLY_PERFT_BINARY)) {
      const std::size_t end = command.find('|');
      command.insert(end == std::string::npos ? command.size() : end - 1,
                     " --server http://" + address);
    }
    const ProcessResult result = run_process({"/bin/bash", "-o", "pipefail", "-c", command});
    EXPECT_EQ(result.exit_code, 0) << command << '\n' << result.out << result.err;
    EXPECT_TRUE(reads_as(result.out, example.output)) << command << '\n' << result.out;
  }
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST(ServeReadme, ItsExamplesDoWhatTheyShow) {
  const std::vector<Example> examples = examples_of("README.md", "The server");
  EXPECT_EQ(examples.size(), 2u);
  expect_shown(examples);
}

TEST(ServeReadme, TheServersSessionDoesWhatItShows) {
  const std::vector<Example> examples = examples_of("tools/server/README.md", "A session");
  EXPECT_GE(examples.size(), 10u);
  expect_shown(examples);
}

}  // namespace
}  // namespace manyply
