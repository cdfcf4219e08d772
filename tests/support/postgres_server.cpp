#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// Returns the folder of PostgreSQL's programs. Debian has one for each version.
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

/// Returns a folder in memory if it has enough space for a server, because syncs to a disk take
/// longer than most tests.
fs::path find_room() {
  constexpr std::uintmax_t kEnough = std::uintmax_t{512} << 20;
  std::error_code none;
  const fs::path memory = "/dev/shm";
  const fs::space_info space = fs::space(memory, none);
  const bool is_enough = !none && space.available >= kEnough && access(memory.c_str(), W_OK) == 0;
  return is_enough ? memory : fs::temp_directory_path();
}

/// Returns `command` with a prefix that ends the command when this program ends. If this program
/// runs as root, the prefix also makes the command run as the user `nobody`, because PostgreSQL
/// refuses root.
std::vector<std::string> launched(const std::vector<std::string>& command) {
  std::vector<std::string> words{"/usr/bin/setpriv", "--pdeathsig", "INT"};
  if (geteuid() == 0) {
    for (const char* word : {"--reuid=nobody", "--regid=nogroup", "--clear-groups"})
      words.emplace_back(word);
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

constexpr const char* kFolders = "manyply-pg-";
constexpr const char* kHeld = ".held";

/// Takes a lock that ends with this program, even if the program is killed. Returns a negative
/// value if another process has the lock.
int lock(const fs::path& file, int flags) {
  const int fd = open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/// Removes the folders of killed programs.
void sweep(const fs::path& room) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(room, ignored)) {
    if (!entry.path().filename().string().starts_with(kFolders)) continue;
    const int fd = lock(entry.path() / kHeld, 0);
    if (fd < 0) continue;
    fs::remove_all(entry.path(), ignored);
    close(fd);
  }
}

}  // namespace

PostgresServer* PostgresServer::get() {
  static const std::unique_ptr<PostgresServer> server = make();
  return server.get();
}

std::unique_ptr<PostgresServer> PostgresServer::make(const std::vector<std::string>& settings) {
  const fs::path programs = find_programs();
  if (programs.empty()) return nullptr;
  std::unique_ptr<PostgresServer> server(new PostgresServer(programs, settings));
  server->make_data({"initdb", "--no-sync", "--auth=trust", "--username=postgres",
                     "--encoding=UTF8", "--locale=C",
                     "--pgdata=" + (server->folder_ / "data").string()});
  server->start();
  return server;
}

std::vector<std::string> PostgresServer::followed() {
  return {"wal_level=replica", "max_wal_senders=4", "hot_standby=on"};
}

std::unique_ptr<PostgresServer> PostgresServer::make_standby(PostgresServer& primary) {
  std::unique_ptr<PostgresServer> server(new PostgresServer(primary.programs_, followed()));
  server->make_data({"pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf",
                     "--dbname=" + primary.conninfo("postgres"),
                     "--pgdata=" + (server->folder_ / "data").string()});
  server->start();
  for (const char* sql :
       {"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"}) {
    const ProcessResult set =
        run_process({(primary.programs_ / "psql").string(), "--no-psqlrc",
                     "--dbname=" + primary.conninfo("postgres"), "--command=" + std::string(sql)});
    if (set.exit_code != 0) throw std::runtime_error("psql: " + set.err);
  }
  return server;
}

PostgresServer::PostgresServer(fs::path programs, const std::vector<std::string>& settings)
    : programs_(std::move(programs)), settings_(settings) {
  static std::atomic<int> servers = 0;
  const fs::path room = find_room();
  sweep(room);
  // The path of a socket has at most 107 characters.
  folder_ = room / (kFolders + std::to_string(getpid()) + "-" + std::to_string(servers++));
  fs::remove_all(folder_);
  make_folder(folder_);
  const fs::path fresh = folder_ / ".new";  // sweep() ignores this name
  lock_ = lock(fresh, O_CREAT);
  fs::rename(fresh, folder_ / kHeld);
}

PostgresServer::~PostgresServer() {
  if (process_) end(SIGINT);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  close(lock_);
}

void PostgresServer::make_data(const std::vector<std::string>& command) const {
  std::vector<std::string> words = command;
  words.front() = (programs_ / words.front()).string();
  const ProcessResult made = run_process(launched(words));
  if (made.exit_code != 0) throw std::runtime_error(command.front() + ": " + made.err);
}

std::string PostgresServer::conninfo(const std::string& database, const std::string& user) const {
  return "host=" + folder_.string() + " dbname=" + database + " user=" + user +
         " connect_timeout=600";
}

void PostgresServer::start() {
  std::vector<std::string> words{(programs_ / "postgres").string(), "-D",
                                 (folder_ / "data").string()};
  std::vector<std::string> settings{
      "listen_addresses=",  "unix_socket_directories=" + folder_.string(),
      "shared_buffers=8MB", "log_min_messages=log",
      "wal_level=minimal",  "max_wal_senders=0",
      "max_wal_size=64MB",  "min_wal_size=32MB"};
  // The last value of a setting counts.
  settings.insert(settings.end(), settings_.begin(), settings_.end());
  for (const std::string& setting : settings) {
    words.emplace_back("-c");
    words.push_back(setting);
  }
  constexpr int kTries = 600;
  for (int tries = 0;; ++tries) {
    // The later output is not read, so it must stay small.
    process_ = std::make_unique<Process>(launched(words));
    if (process_->wait_for_error_output("ready to accept")) return;
    const std::string said = process_->finish().err;
    process_.reset();
    // Processes of a killed server may not have ended yet.
    const bool is_in_use = said.find("is still in use") != std::string::npos;
    if (!is_in_use || tries == kTries)
      throw std::runtime_error("PostgreSQL does not start: " + said);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void PostgresServer::end(int signal) {
  // A backend that loses server and client at the same time may continue to read standard input.
  process_->close_input();
  process_->signal(signal);
  process_->finish();
  process_.reset();
}

void PostgresServer::make_folder(const fs::path& folder) {
  fs::create_directories(folder);
  if (geteuid() == 0) run_process({"/usr/bin/chown", "nobody:nogroup", folder.string()});
}

void PostgresServer::trust(const std::string& addresses) const {
  std::ofstream(folder_ / "data" / "pg_hba.conf", std::ios::app)
      << "host all all " << addresses << " trust\n";
}

}  // namespace manyply
