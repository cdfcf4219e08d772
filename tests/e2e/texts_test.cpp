// Compares texts with what the program does: recorded output, the commands that the README shows
// (tests/machines runs those that take long), completions in the shells, and the manual page.
#include <algorithm>
#include <array>
#include <random>

#include "tests/e2e/golden.h"
#include "tests/e2e/perft.h"
#include "tests/e2e/readme.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

TEST(Golden, Counts) {
  // Formats do not depend on the build, so slow builds test only one of them.
  const std::array<std::string, 4> formats{"text", "json", "csv", "stockfish"};
  expect_golden("counts", kIsFastBuild ? "" : formats[std::random_device()() % formats.size()]);
}

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

// Tests completions in the shells themselves, and the manual page in programs that print it.

struct Typed {
  const char* line;
  const char* offers;  ///< sorted
};

// For bash and fish.
constexpr Typed kTyped[] = {
    {"perft cou", "count"},
    {"perft comp", "compare completion"},
    {"perft help ver", "verify"},
    {"perft help meth", "methods"},
    {"perft count --form", "--format"},
    {"perft count --key", "--key-bits --key-seed"},
    {"perft count --format ", "csv json stockfish text"},
    {"perft suite --format ", "csv json junit text"},
    {"perft count --kernel port", "portable"},
    {"perft count 5 --fen kiw", "kiwipete"},
    {"perft bisect 5 --fen kiw", "kiwipete"},
    {"perft check pos", "position3 position4 position5 position6"},
    {"perft count --threads ", ""},
    {"perft completion ", "bash fish zsh"},
    {"perft suite cl", "classic clear.epd clouds"},
    {"perft bisect 5 --suite tri", "tricky"},
    {"perft count --checkpoint cle", "clear.epd"},
    {"perft serve --state cl", "clouds"},
    {"perft bisect 4 --dialect jud", "juddperft"},
    {"perft manu", ""},
    {"perft campai", "campaign"},
    {"perft campaign st", "status stop"},
    {"perft help campaign cr", "create"},
    {"perft campaign create --form", "--format"},
    {"perft campaign work nine --kernel port", "portable"},
};

/// Returns whether `line` completes a part that this build leaves out, such as campaigns.
bool is_left_out(const std::string& line) {
  static const bool has_campaigns = perft({"campaign", "--help"}).exit_code == 0;
  return !has_campaigns && line.find("campai") != std::string::npos;
}

std::vector<std::string> sorted_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (word.ends_with('/')) word.pop_back();  // fish marks folders in this way
    words.push_back(word);
  }
  std::ranges::sort(words);
  return words;
}

/// Returns how the shell completes these lines; an empty list if the shell is not installed.
std::vector<std::string> completed(const std::string& shell, const std::string& lines) {
  if (!std::filesystem::exists("/usr/bin/" + shell)) return {};
  const ProcessResult result =
      run_process({MANYPLY_SOURCE_DIR "/tests/e2e/complete.sh", shell, perft_command()}, lines);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::vector<std::string> rows;
  std::istringstream stream(result.out);
  for (std::string row; std::getline(stream, row);) rows.push_back(row);
  return rows;
}

void expect_offers(const std::string& shell) {
  std::vector<Typed> typed(std::begin(kTyped), std::end(kTyped));
  std::erase_if(typed, [](const Typed& one) { return is_left_out(one.line); });
  std::string lines;
  for (const Typed& one : typed) lines += one.line + std::string("\n");
  const std::vector<std::string> rows = completed(shell, lines);
  if (rows.empty()) GTEST_SKIP() << shell << " is not installed";
  ASSERT_EQ(rows.size(), typed.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string arrow = "->";
    const std::size_t at = rows[i].find(arrow);
    ASSERT_NE(at, std::string::npos) << rows[i];
    EXPECT_EQ(sorted_words(rows[i].substr(at + arrow.size())), sorted_words(typed[i].offers))
        << rows[i];
  }
}

TEST(Completion, Bash) {
  expect_offers("bash");
  const std::vector<std::string> rows = completed("bash", "perft count --format=st\n");
  EXPECT_THAT(rows, ::testing::ElementsAre("perft count --format=st-> stockfish"));
}

TEST(Completion, Fish) { expect_offers("fish"); }

TEST(Completion, Zsh) {
  constexpr std::pair<const char*, const char*> kLines[] = {
      {"perft cou", "perft count "},
      {"perft compl", "perft completion "},
      {"perft help ver", "perft help verify "},
      {"perft count --form", "perft count --format="},
      {"perft count --format st", "perft count --format stockfish "},
      {"perft count --format=st", "perft count --format=stockfish "},
      {"perft count --kernel port", "perft count --kernel portable "},
      {"perft count 5 --fen kiw", "perft count 5 --fen kiwipete "},
      {"perft count 5 --fen pos", "perft count 5 --fen position"},
      {"perft check kiw", "perft check kiwipete "},
      {"perft completion f", "perft completion fish "},
      {"perft suite tri", "perft suite tricky "},
      {"perft suite tricky clea", "perft suite tricky clear.epd "},
      {"perft count --checkpoint clea", "perft count --checkpoint clear.epd "},
      {"perft serve --state cl", "perft serve --state clouds/"},
      {"perft bisect 3 --dialect jud", "perft bisect 3 --dialect juddperft "},
      {"perft campai", "perft campaign "},
      {"perft campaign stat", "perft campaign status "},
      {"perft help campaign cr", "perft help campaign create "},
      {"perft campaign create --form", "perft campaign create --format="},
      {"perft campaign work nine --kernel port", "perft campaign work nine --kernel portable "},
      {"perft manu", "perft manu"}};
  std::string typed;
  std::vector<std::string> wanted;
  for (const auto& [line, then] : kLines) {
    if (is_left_out(line)) continue;
    typed += line + std::string("\n");
    wanted.push_back(then);
  }
  const std::vector<std::string> rows = completed("zsh", typed);
  if (rows.empty()) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(rows, wanted);
}

TEST(Help, IsAsWideAsColumnsSays) {
  const auto longest_line = [](const std::string& columns) {
    const ProcessResult help =
        run_process({"/usr/bin/env", "COLUMNS=" + columns, perft_command(), "count", "--help"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    std::istringstream text(help.out);
    std::size_t longest = 0;
    for (std::string line; std::getline(text, line);) longest = std::max(longest, line.size());
    return longest;
  };
  EXPECT_LE(longest_line("100"), 100U);
  EXPECT_GT(longest_line("100"), longest_line("70"));
  for (const char* wrong : {"nonsense", "70abc"})
    EXPECT_EQ(longest_line(wrong), longest_line("90")) << "the width without a terminal";
}

TEST(Manual, IsCleanForMandocAndGroff) {
  ProcessResult page = perft({"manual", "2025-11-22"});
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(perft({"manual", "2025-11-22", "--command", "nothing"}).exit_code, 2);
  for (const char* const command : {"count", "campaign", "submit"}) {
    const ProcessResult own = perft({"manual", "2025-11-22", "--command", command});
    if (own.exit_code == 0) page.out += own.out;  // a build without the server has fewer commands
  }
  const std::vector<std::vector<std::string>> judges{
      {"/usr/bin/mandoc", "-Tlint", "-Wall"}, {"/usr/bin/groff", "-ww", "-man", "-Tutf8", "-z"}};
  for (const std::vector<std::string>& judge : judges) {
    if (!std::filesystem::exists(judge[0])) GTEST_SKIP() << judge[0] << " is not installed";
    const ProcessResult verdict = run_process(judge, page.out);
    EXPECT_EQ(verdict.out, "") << judge[0];
    EXPECT_EQ(verdict.err, "") << judge[0];
    EXPECT_EQ(verdict.exit_code, 0) << judge[0];
    EXPECT_NE(run_process(judge, page.out + ".SSS\n.TP\n.PP\n\\fX\n").out +
                  run_process(judge, page.out + ".nosuchmacro\n").err,
              "")
        << judge[0];
  }
}

}  // namespace
}  // namespace manyply
