// The main function of `perft`. It sets up signals and streams, and runs the command.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tools/cli/commands.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"
#include "tools/cli/framework/io.h"
#include "tools/text/number_text.h"
#ifdef MANYPLY_ONLINE
#include "tools/campaign/campaign_commands.h"
#include "tools/client/server_client.h"
#include "tools/server/serve_command.h"
#endif

namespace {

namespace console = manyply::console;

constexpr int kInput = 0;
constexpr int kOutput = 1;
constexpr int kErrors = 2;

/// Returns whether `fd` is a terminal with colours and the user has not switched them off.
bool wants_colours(int fd) {
  // This process never changes its environment.
  const char* const no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return console::has_colours(fd) && (no_colour == nullptr || *no_colour == '\0');
}

/// Returns the number of columns for texts on standard output: $COLUMNS, if that is a positive
/// whole number, otherwise the width of the terminal.
int output_columns() {
  constexpr std::uint64_t kMost = 1000;
  const char* const said = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe)
  const auto columns = manyply::parse_number(said == nullptr ? "" : said, 1, UINT64_MAX);
  return columns ? static_cast<int>(std::min(*columns, kMost)) : console::terminal_columns(kOutput);
}

/// Returns the words with which users start this program. Suggested commands begin with these
/// words. A launcher sets argv[0] to the words, such as "npx manyply". If argv[0] is a path of the
/// executable instead, the words are "perft".
std::string program_of(const char* called) {
  const std::string_view words = called == nullptr ? "" : called;
  const std::string_view file = words.substr(words.find_last_of("/\\") + 1);
  const bool is_path = file == "perft" || file == "perft.exe" || file.empty();
  return std::string(is_path ? "perft" : words);
}

/// Adds the commands of client/, server/ and campaign/. In builds without these folders, running
/// one of the commands is an error.
void add_online_commands(std::vector<manyply::Command>& commands) {
#if defined(MANYPLY_ONLINE)
  commands.push_back(manyply::serve_command(manyply::campaign_opener()));
  for (const auto& others : {manyply::client_commands(), manyply::campaign_commands()})
    commands.insert(commands.end(), others.begin(), others.end());
#else
#if defined(MANYPLY_FOR_LINUX)
  constexpr const char* kWhy = "this build has no server and no campaigns";
#else
  constexpr const char* kWhy =
      "the server, its client commands and campaigns are only available on Linux";
#endif
  for (const char* name : {"serve", "submit", "batch", "status", "watch", "cancel", "campaign"})
    commands.push_back({.name = name, .missing = kWhy});
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_output = console::prepare();
  std::stop_source stop;
  const std::vector<std::string> arguments = console::arguments(argc, argv);
  std::vector<manyply::Command> commands = manyply::cli_commands();
  add_online_commands(commands);
  commands.push_back(manyply::completion_command(commands));
  commands.push_back(manyply::manual_command(commands));
  const manyply::Command* const command = manyply::find_command(commands, arguments);
  const manyply::Needs needs = command != nullptr ? command->needs : manyply::Needs{};
  console::watch_for_signals(stop, needs.ends_on_sigterm);
  static manyply::Readers readers(stop);  // the thread that uses it may outlive main()
  if (!needs.outlives_readers) console::watch_for_readers(readers);

  manyply::FdStream out(kOutput);
  manyply::Io io{out,
                 std::cerr,
                 kInput,
                 console::terminal_columns(kErrors),
                 stop.get_token(),
                 &readers,
                 output_columns(),
                 wants_colours(kOutput),
                 wants_colours(kErrors),
                 program_of(argc > 0 ? *argv : nullptr)};
  const auto fail_to_write = [&io](int error) {
    const std::string why = std::error_code(error, std::generic_category()).message();
    return manyply::fail(io, {manyply::ErrorCode::kUnavailable, "standard output", 0, why});
  };
  // Fail early if standard output is closed.
  if (!has_output && !needs.outlives_readers) return fail_to_write(EBADF);
  const int exit_code = manyply::run_perft(arguments, io, commands);

  out.flush();
  return out.error() != 0 && out.error() != EPIPE ? fail_to_write(out.error()) : exit_code;
}
