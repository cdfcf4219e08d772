// What the README shows of the server, done as it stands there.
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/e2e/server.h"

namespace manyply {
namespace {

struct Example {
  std::string command;
  std::string output;
};

/// Commands after "$ ", and what is shown below them, in the section of that name.
std::vector<Example> examples_of(const std::string& section) {
  std::ifstream in(MANYPLY_SOURCE_DIR "/README.md");
  std::vector<Example> examples;
  bool here = false;
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## " + section;
    if (!here) continue;
    if (line.starts_with("```")) {
      code = !code;
    } else if (code && line.starts_with("$ ")) {
      examples.push_back({line.substr(2), ""});
    } else if (code && !examples.empty()) {
      examples.back().output += line + '\n';
    }
  }
  return examples;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Does `text` read as `shown`, in which "…" stands for anything?
bool reads_as(const std::string& text, const std::string& shown) {
  const std::string gap = "…";
  std::size_t at = 0;
  for (std::size_t start = 0;;) {
    const std::size_t end = shown.find(gap, start);
    const std::string part = shown.substr(start, end - start);
    if (end == std::string::npos) return text.size() - at >= part.size() && text.ends_with(part);
    const std::size_t found =
        start == 0 ? (text.starts_with(part) ? 0 : std::string::npos) : text.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    start = end + gap.size();
  }
}

TEST(ServeReadme, ItsExamplesDoWhatTheyShow) {
  const StateDir dir;
  Server server(dir.path());
  ASSERT_TRUE(server.ready());
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  const std::vector<Example> examples = examples_of("The server");
  int run = 0;
  for (const Example& example : examples) {
    std::string command = replaced(example.command, "127.0.0.1:8080", address);
    if (command.starts_with("tools/perft.sh serve")) continue;  // runs already, elsewhere
    command = replaced(command, "tools/perft.sh", MANYPLY_PERFT_BINARY);
    if (command.starts_with(MANYPLY_PERFT_BINARY)) {
      const std::size_t end = command.find('|');
      command.insert(end == std::string::npos ? command.size() : end - 1,
                     " --server http://" + address);
    }
    const ProcessResult result = run_process({"/bin/bash", "-o", "pipefail", "-c", command});
    EXPECT_EQ(result.exit_code, 0) << command << '\n' << result.out << result.err;
    EXPECT_TRUE(reads_as(result.out, example.output)) << command << '\n' << result.out;
    ++run;
  }
  EXPECT_GE(run, 6);
  EXPECT_EQ(server.terminate().exit_code, 0);
}

}  // namespace
}  // namespace manyply
