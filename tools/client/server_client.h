// The server as the commands use it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/cli/framework/command.h"
#include "tools/client/http_client.h"
#include "tools/client/told_job.h"

namespace manyply {

/// The server's address and the token file.
struct ServerOptions {
  static constexpr std::string_view kUsualServer = "http://127.0.0.1:8080";

  std::string server{kUsualServer};
  std::string token_file;  ///< empty = none
};
extern const std::array<Flag<ServerOptions>, 2> kServerFlags;  ///< --server, --token-file

/// The job that a command is about.
struct JobName {
  std::string job;  ///< the number as text
};
extern const Flag<JobName> kJob;
/// Stores the job number in `job`, or returns an error if `text` is not one.
std::optional<Error> take_job(std::string& job, const std::string& text);

/// Sends requests about jobs to one server, for one command. Used by one thread at a time. Errors
/// of the connection are those of HttpClient. If the server refuses a request, the error is
/// kUnavailable with the server's message.
class ServerClient {
 public:
  /// `options` and `io` must outlive this object.
  ServerClient(HttpClient http, const ServerOptions& options, Io& io);

  /// Sends a request and returns the body of the response.
  Result<std::string> ask(const ClientRequest& request);
  /// Sends a request and returns the job in the response.
  Result<ToldJob> ask_job(const ClientRequest& request);
  Result<ToldJob> job(const std::string& id);  ///< returns a job or batch
  /// Submits a job with this idempotency key (random if `key` is empty); sends it again if the
  /// response is lost.
  Result<ToldJob> submit(ClientRequest request, const std::string& key);

  /// Returns the error for a response that is not from a Manyply server.
  [[nodiscard]] Error no_sense() const;
  /// Returns the server's refusal as an error.
  [[nodiscard]] Error refusal(const ClientResponse& response) const;

  HttpClient& http() { return http_; }
  Io& io() { return io_; }

  /// Returns a command line to show to the user: "perft watch 12 --server URL".
  [[nodiscard]] std::string command(std::string_view name, const std::string& id) const;

 private:
  Result<ToldJob> job_of(const ClientResponse& response) const;

  HttpClient http_;
  const ServerOptions& options_;
  Io& io_;
};

/// Runs `ask` and returns its exit code. If the address or the token is not usable, prints why on
/// io.err instead.
int ask_server(const ServerOptions& options, Io& io, const std::function<int(ServerClient&)>& ask);

}  // namespace manyply
