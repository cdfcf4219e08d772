#include "tests/support/postgres_server.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// Debian has the programs of each version in a folder of its own.
fs::path find_programs() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    fs::path programs = version.path() / "bin";
    if (fs::exists(programs / "initdb") && fs::exists(programs / "postgres"))
      found.push_back(std::move(programs));
  }
  return found.empty() ? fs::path() : *std::ranges::max_element(found);
}

/// In memory if there is enough of it for a server: a disk's syncs take longer than most tests.
fs::path find_room() {
  constexpr std::uintmax_t kEnough = std::uintmax_t{512} << 20;
  std::error_code none;
  const fs::path memory = "/dev/shm";
  const fs::space_info space = fs::space(memory, none);
  const bool is_enough = !none && space.available >= kEnough && access(memory.c_str(), W_OK) == 0;
  return is_enough ? memory : fs::temp_directory_path();
}

/// What goes before a command so that it does not outlive this program, and runs as nobody where
/// this program is root's: PostgreSQL refuses root.
std::vector<std::string> launched(const std::vector<std::string>& command) {
  std::vector<std::string> words{"/usr/bin/setpriv", "--pdeathsig", "INT"};
  if (geteuid() == 0) {
    for (const char* word : {"--reuid=nobody", "--regid=nogroup", "--clear-groups"})
      words.emplace_back(word);
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

PostgresServer* PostgresServer::get() {
  static const std::unique_ptr<PostgresServer> server = [] {
    const fs::path programs = find_programs();
    return std::unique_ptr<PostgresServer>(programs.empty() ? nullptr
                                                            : new PostgresServer(programs));
  }();
  return server.get();
}

PostgresServer::PostgresServer(fs::path programs)
    : programs_(std::move(programs)),
      // A socket's path has 107 characters at most.
      folder_(find_room() / ("manyply-pg-" + std::to_string(getpid()))) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  if (geteuid() == 0) run_process({"/usr/bin/chown", "nobody:nogroup", folder_.string()});
  const ProcessResult made = run_process(
      launched({(programs_ / "initdb").string(), "--no-sync", "--auth=trust", "--username=postgres",
                "--encoding=UTF8", "--locale=C", "--pgdata=" + (folder_ / "data").string()}));
  if (made.exit_code != 0) throw std::runtime_error("initdb: " + made.err);
  start();
}

PostgresServer::~PostgresServer() {
  if (process_) {
    process_->signal(SIGINT);
    process_->finish();
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresServer::conninfo(const std::string& database, const std::string& user) const {
  return "host=" + folder_.string() + " dbname=" + database + " user=" + user;
}

void PostgresServer::start() {
  // Nobody reads what it says later: it must not be much.
  process_ = std::make_unique<Process>(
      launched({(programs_ / "postgres").string(), "-D", (folder_ / "data").string(), "-c",
                "listen_addresses=", "-c", "unix_socket_directories=" + folder_.string(), "-c",
                "shared_buffers=8MB", "-c", "log_min_messages=log", "-c", "wal_level=minimal", "-c",
                "max_wal_senders=0", "-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"}));
  if (!process_->wait_for_error_output("ready to accept connections", 120))
    throw std::runtime_error("PostgreSQL does not start: " + process_->finish(1).err);
}

void PostgresServer::crash() {
  process_->signal(SIGQUIT);
  process_->finish();
  process_.reset();
}

}  // namespace manyply
