// The commands that use a server. They send requests, describe the server's jobs, and wait until a
// job ends.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/client/http_client.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns all commands that use a server, in the order of the help.
[[nodiscard]] std::vector<Command> client_commands();

/// Returns a text of the server as one line that is safe to print on a terminal. Cuts off the text
/// after 500 bytes.
[[nodiscard]] std::string plain(std::string text);

// Describes a job as the server returns it. Formats the job for users.

/// A job or batch, read from the server's JSON. The JSON is not trusted. A missing or malformed
/// member is read as empty or 0. Thread-safe.
class ToldJob {
 public:
  /// Parses `text`. Returns nullopt if it is not an object with an id and a state.
  [[nodiscard]] static std::optional<ToldJob> read(std::string_view text);

  [[nodiscard]] std::string id() const;          ///< the number of the job or batch
  [[nodiscard]] std::string state() const;       ///< "done"
  [[nodiscard]] std::string state_text() const;  ///< "queued, 2 ahead"
  [[nodiscard]] bool has_ended() const;          ///< the state is final
  [[nodiscard]] bool is_batch() const;           ///< true for a batch, false for a count
  [[nodiscard]] std::string place() const;       ///< "/v1/jobs/12"
  [[nodiscard]] std::string verdict() const;     ///< "match", "mismatch", …; empty if unknown
  [[nodiscard]] std::string failure() const;     ///< error of a failed job
  [[nodiscard]] bool wants_divide() const;       ///< the job was submitted with a divide

  [[nodiscard]] bool has_progress() const;  ///< the job runs and reports progress
  // Precondition of the next two functions: has_progress().
  [[nodiscard]] ProgressFigures figures() const;
  /// Returns the job's progress as one line. Adds a bar if the terminal is wide enough.
  [[nodiscard]] std::string progress_line(int terminal_columns = 0) const;

  /// Returns a few lines about a job that has no result yet.
  [[nodiscard]] std::string unfinished_text() const;
  /// Returns the text that the local command for the job's mode would print. Error kInvalidInput:
  /// the job has no report.
  Result<std::string> finished_text(bool with_divide) const;
  /// Returns the server's JSON on one line.
  [[nodiscard]] std::string json() const;

 private:
  explicit ToldJob(nlohmann::ordered_json json);
  std::shared_ptr<const nlohmann::ordered_json> json_;
};

/// Formats a page of jobs as JSON if `format` is kJson, otherwise as a table. Returns nullopt if
/// `page` is not a page of jobs.
[[nodiscard]] std::optional<std::string> told_list(std::string_view page, Format format);

/// Returns the body of a request for a count. An empty `method` is omitted. Does not validate the
/// request, because modes and limits depend on the server.
[[nodiscard]] std::string submission(const Question& question, std::string_view mode,
                                     std::string_view method,
                                     const std::optional<std::uint64_t>& deadline_seconds);

/// The server's address and the token file.
struct ServerOptions {
  static constexpr std::string_view kUsualServer = "http://127.0.0.1:8080";

  std::string server{kUsualServer};
  std::string token_file;  ///< empty = none
};
extern const std::array<Flag<ServerOptions>, 2> kServerFlags;  ///< --server, --token-file

/// The argument JOB of a command.
struct JobName {
  std::string job;  ///< the job's number as text
};
extern const Flag<JobName> kJob;
/// Stores the job number in `job`. Returns an error if `text` is not a job number.
std::optional<Error> take_job(std::string& job, const std::string& text);

/// Sends requests about jobs to one server, for one command. Use it from one thread at a time.
/// Errors of the connection are those of HttpClient. If the server refuses a request, the error is
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
  /// Submits a job with the idempotency key `key`. If `key` is empty, uses a random key. If no
  /// response arrives, submits the job again, up to twice.
  Result<ToldJob> submit(ClientRequest request, const std::string& key);

  /// Returns the error for a response that is not from a Manyply server.
  [[nodiscard]] Error no_sense() const;
  /// Returns the server's refusal as an error.
  [[nodiscard]] Error refusal(const ClientResponse& response) const;

  HttpClient& http() { return http_; }
  Io& io() { return io_; }

  /// Returns a command line for the user, such as "perft watch 12 --server URL".
  [[nodiscard]] std::string command(std::string_view name, const std::string& id) const;

 private:
  Result<ToldJob> job_of(const ClientResponse& response) const;

  HttpClient http_;
  const ServerOptions& options_;
  Io& io_;
};

/// Runs `ask` and returns its exit code. If the address or the token file is unusable, prints the
/// reason on io.err instead, and returns kExitError.
int ask_server(const ServerOptions& options, Io& io, const std::function<int(ServerClient&)>& ask);

// Shows a job's result or waits for the job.

/// How to print a job.
struct JobShowing : Showing {
  bool divide = false;  ///< print the divide as text, even if the job was submitted without it
};
extern const Flag<JobShowing> kShowDivide;  ///< --divide

/// Prints the result of a job, or its state if it has no result. If the job is done and the format
/// is text, `job` must have its report. Returns the exit code of `perft status`.
int show_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);

/// Prints the result of a batch, or its state if it has no result. `form` is the format of the
/// result: "text", "json" or "junit". Returns the exit code of `perft status`.
int show_batch(ServerClient& server, const ToldJob& batch, std::string_view form);

/// Waits until the job has ended, and then prints it as show_job() does. Waiting continues after
/// lost connections and restarts of the server, for up to 15 minutes without data. Ctrl-C ends the
/// waiting, but not the job. Returns the exit code.
int watch_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);
/// Waits like the other watch_job(). When the job has ended, calls `show` with it and returns the
/// exit code of `show`.
int watch_job(ServerClient& server, const ToldJob& job, ProgressMode progress,
              const std::function<int(const ToldJob& ended)>& show);

}  // namespace manyply
