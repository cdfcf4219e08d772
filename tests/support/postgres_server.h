// PostgreSQL servers for tests. A server listens on a socket in its own folder, runs as a user that
// is not root, and ends with the program.
#pragma once

#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

class PostgresServer {
 public:
  /// Returns the shared server of this program; the first call starts it. Null if PostgreSQL is
  /// not installed.
  static PostgresServer* get();
  /// Starts a separate server with the given settings ("name=value"); null if PostgreSQL is not
  /// installed. Its processes live in the network namespace of the calling thread.
  static std::unique_ptr<PostgresServer> make(const std::vector<std::string>& settings = {});
  /// Returns the settings of a server that may have standbys.
  static std::vector<std::string> followed();
  /// Starts a standby of `primary`, which must have the settings followed(). From then on, a commit
  /// on `primary` waits until the standby has received it.
  static std::unique_ptr<PostgresServer> make_standby(PostgresServer& primary);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Returns libpq's connection string for a database, for the superuser or another role.
  [[nodiscard]] std::string conninfo(const std::string& database,
                                     const std::string& user = "postgres") const;

  /// Returns the folder of the server's files and socket.
  [[nodiscard]] std::string folder() const { return folder_.string(); }
  [[nodiscard]] std::string socket() const { return (folder_ / ".s.PGSQL.5432").string(); }

  /// Ends the server at once. Connections break, and transactions that are not committed are lost.
  void crash() { end(SIGQUIT); }
  /// Kills only the main process. The other processes of the server must find out by themselves.
  void kill() { end(SIGKILL); }
  /// Starts the server with its old address and data. The server ends when the calling thread ends.
  /// Throws std::runtime_error if the server does not start.
  void start();
  /// Makes the server accept connections from `addresses`, such as "10.0.0.0/8", without a
  /// password. Takes effect at the next start().
  void trust(const std::string& addresses) const;
  /// Creates a folder that belongs to the server's user.
  static void make_folder(const std::filesystem::path& folder);
  /// Blocks until the server's log contains `text`. Returns false if the server ends without it.
  [[nodiscard]] bool says(const std::string& text) const {
    return process_->wait_for_error_output(text);
  }

 private:
  PostgresServer(std::filesystem::path programs, const std::vector<std::string>& settings);
  void end(int signal);
  void make_data(const std::vector<std::string>& command) const;

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  int lock_ = -1;  // locked while the folder is in use
  std::vector<std::string> settings_;
  std::unique_ptr<Process> process_;
};

}  // namespace manyply
