// PostgreSQL servers of a test's own: on a socket in a folder of its own, as a user that is not
// root, ended with the program.
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
  /// The one of this program, started by whoever asks first; null where PostgreSQL 15 is not
  /// installed.
  static PostgresServer* get();
  /// Another one, with settings ("name=value") of its own; null where it is not installed. Like
  /// every process of a server it lives in the namespaces of the thread that starts it.
  static std::unique_ptr<PostgresServer> make(const std::vector<std::string>& settings = {});
  /// What the settings of a server are that others follow.
  static std::vector<std::string> followed();
  /// A standby of `primary`, which commits nothing that its standby does not have.
  static std::unique_ptr<PostgresServer> make_standby(PostgresServer& primary);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// How libpq is told of a database, for the superuser or another role.
  [[nodiscard]] std::string conninfo(const std::string& database,
                                     const std::string& user = "postgres") const;

  /// Where it listens.
  [[nodiscard]] std::string folder() const { return folder_.string(); }
  [[nodiscard]] std::string socket() const { return (folder_ / ".s.PGSQL.5432").string(); }

  /// Ends it at once: connections are cut, and what was not committed is lost.
  void crash() { end(SIGQUIT); }
  /// The same, but that nobody tells its processes: they have to find out.
  void kill() { end(SIGKILL); }
  /// Where it was, with what it had. It ends with the thread that starts it. Throws
  /// std::runtime_error if it does not start.
  void start();
  /// Lets everybody in who comes from there: "10.0.0.0/8". From its next start() on.
  void trust(const std::string& addresses) const;
  /// A folder that belongs to the server's user.
  static void make_folder(const std::filesystem::path& folder);
  /// Waits until its log has had that in it.
  [[nodiscard]] bool says(const std::string& text) const {
    return process_->wait_for_error_output(text);
  }

 private:
  PostgresServer(std::filesystem::path programs, const std::vector<std::string>& settings);
  void end(int signal);
  void make_data(const std::vector<std::string>& command) const;

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  int lock_ = -1;  // held while the folder is somebody's
  std::vector<std::string> settings_;
  std::unique_ptr<Process> process_;
};

}  // namespace manyply
