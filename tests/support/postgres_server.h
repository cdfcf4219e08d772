// A PostgreSQL server of a test's own: on a socket in a folder of its own, as a user that is not
// root, ended with the program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/process.h"

namespace manyply {

class PostgresServer {
 public:
  /// The one of this program, started by whoever asks first; null where PostgreSQL 15 is not
  /// installed.
  static PostgresServer* get();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// How libpq is told of a database, for the superuser or another role.
  [[nodiscard]] std::string conninfo(const std::string& database,
                                     const std::string& user = "postgres") const;

  /// Where it listens.
  [[nodiscard]] std::string socket() const { return (folder_ / ".s.PGSQL.5432").string(); }

  /// Ends it at once: connections are cut, and what was not committed is lost.
  void crash();
  /// Where it was, with what it had. It ends with the thread that starts it. Throws
  /// std::runtime_error if it does not start.
  void start();

 private:
  explicit PostgresServer(std::filesystem::path programs);

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  std::unique_ptr<Process> process_;
};

}  // namespace manyply
