// Runs the commands that the README shows. tests/machines runs those that take long,
// serve_test.cpp those of the server.
#include "tests/e2e/readme.h"

#include "tests/e2e/perft.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// Returns the output of a shell in `folder`, with this build's perft in its PATH.
std::string printed_in(const fs::path& folder, const std::string& command) {
  const std::string path = fs::path(perft_command()).parent_path().string();
  return run_process({"/bin/bash", "-c",
                      "cd '" + folder.string() + "' && PATH='" + path + "':$PATH && " + command})
      .out;
}

TEST(Readme, ItsSessionPrintsWhatItShows) {
  const std::string script = "tools/perft.sh ";
  int run = 0;
  for (const Example& example : examples_of("README.md", "A session")) {
    ASSERT_TRUE(example.command.starts_with(script)) << example.command;
    if (example.command.starts_with(script + "count 9")) continue;  // takes seconds on all cores
    const std::string printed = printed_in("/", "perft " + example.command.substr(script.size()));
    EXPECT_TRUE(reads_as(printed, example.output)) << example.command << '\n' << printed;
    ++run;
  }
  EXPECT_GE(run, 1);
}

TEST(Readme, ItsHuntFindsTheBugThatItShows) {
  const fs::path folder =
      fs::temp_directory_path() / ("manyply-readme-" + std::to_string(getpid()));
  fs::create_directory(folder);
  std::ofstream(folder / "my-engine")
      << "#!/bin/sh\nexec " << broken("right-after-capture") << '\n';
  fs::permissions(folder / "my-engine", fs::perms::owner_all);
  const auto examples = examples_of("README.md", "Find the bug in a move generator");
  ASSERT_EQ(examples.size(), 1u);
  const std::string printed = printed_in(folder, examples[0].command);
  EXPECT_TRUE(reads_as(printed, examples[0].output)) << printed;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace manyply
