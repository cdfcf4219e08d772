// Runs the commands of the README's section about a campaign on one machine.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/perft.h"
#include "tests/e2e/readme.h"
#include "tests/support/postgres_server.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(CampaignReadmeSlow, FiveCommandsLeadFromNothingToATotal) {
  if (!fs::exists("/usr/lib/postgresql/15/bin/initdb"))
    GTEST_SKIP() << "PostgreSQL 15 is not installed";
  const fs::path folder =
      fs::temp_directory_path() / ("manyply-readme-" + std::to_string(getpid()));
  PostgresServer::make_folder(folder);
  std::ofstream(folder / "commands")
      << "set -e\ncd " << folder << "\nPATH=" << fs::path(MANYPLY_PERFT_BINARY).parent_path()
      << ":$PATH\ntrap 'pg_ctl -D pg -m immediate stop' EXIT\n"
      << code_of("tools/campaign/README.md", "A campaign on one machine");
  std::vector<std::string> words{"/bin/bash", (folder / "commands").string()};
  if (geteuid() == 0) {
    const std::vector<std::string> as{"/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup",
                                      "--clear-groups"};
    words.insert(words.begin(), as.begin(), as.end());
  }
  Process shell(words);
  const ProcessResult end = shell.finish(3600);
  EXPECT_EQ(end.exit_code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("schema     version 5\n"));
  EXPECT_THAT(end.out, HasSubstr("nodes      84998978956  (84,998,978,956)\nknown      match\n"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace manyply
