// A server, as the commands ask it.
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

/// Which server, and how it lets us in.
struct ServerOptions {
  static constexpr std::string_view kUsualServer = "http://127.0.0.1:8080";

  std::string server{kUsualServer};
  std::string token_file;  ///< empty = none
};
extern const std::array<Flag<ServerOptions>, 2> kServerFlags;  ///< --server, --token-file

/// Of which job.
struct JobName {
  std::string job;  ///< its number, as the server writes it
};
extern const Flag<JobName> kJob;
/// Puts the number that `text` is there, or says why it is none.
std::optional<Error> take_job(std::string& job, const std::string& text);

/// Asks one server for jobs, for one command. One thread at a time. Errors of the connection are
/// those of HttpClient; a refusal is kUnavailable and says what the server says.
class ServerClient {
 public:
  /// `options` and `io` outlive it.
  ServerClient(HttpClient http, const ServerOptions& options, Io& io);

  /// The answer's body.
  Result<std::string> ask(const ClientRequest& request);
  Result<ToldJob> ask_job(const ClientRequest& request);  ///< the same, of a job
  Result<ToldJob> job(const std::string& id);             ///< or a batch
  /// Has a job made, with a random key if `key` is empty, and asks again if the answer is lost.
  Result<ToldJob> submit(ClientRequest request, const std::string& key);

  [[nodiscard]] Error no_sense() const;
  [[nodiscard]] Error refusal(const ClientResponse& response) const;

  HttpClient& http() { return http_; }
  Io& io() { return io_; }

  /// "perft watch 12 --server URL", as it may be typed.
  [[nodiscard]] std::string command(std::string_view name, const std::string& id) const;

 private:
  Result<ToldJob> job_of(const ClientResponse& response) const;

  HttpClient http_;
  const ServerOptions& options_;
  Io& io_;
};

/// What `ask` returns; without a usable address or token it is not called, and io.err says why.
int ask_server(const ServerOptions& options, Io& io, const std::function<int(ServerClient&)>& ask);

}  // namespace manyply
