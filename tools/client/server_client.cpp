#include "tools/client/server_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

#include "core/base/stopped_within.h"
#include "tools/cli/framework/flags.h"

namespace manyply {
namespace {

Result<std::optional<std::string>> token_of(const std::string& file) {
  if (file.empty()) return std::optional<std::string>();
  std::ifstream in(file);
  std::string token;
  std::getline(in, token);
  if (token.ends_with('\r')) token.pop_back();
  const bool usable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.empty() || !usable)
    return bad_input("--token-file", "'" + file + "' must have the token in its first line");
  return std::optional(std::move(token));
}

/// Returns 128 random bits, so that a submission that is sent twice creates only one job.
std::string random_key() {
  std::random_device random;
  return fmt::format("perft-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

constexpr std::array<Flag<ServerOptions>, 2> kServerFlags{{
    {"--server", "URL",
     "the server's address, or unix:PATH of its socket, with a base path unix:PATH:/BASE/ "
     "(default: http://127.0.0.1:8080)",
     [](ServerOptions& options, const std::string& text) {
       return options.server = text, accepted();
     }},
    {"--token-file",
     "FILE",
     "file with the client's token in its first line",
     [](ServerOptions& options, const std::string& text) {
       return options.token_file = text, accepted();
     },
     {ValueKind::kFile}},
}};

std::optional<Error> take_job(std::string& job, const std::string& text) {
  const auto number = parse_number(text, 1, INT64_MAX);
  if (!number) return renamed(number.error(), "job");
  job = std::to_string(*number);
  return std::nullopt;
}

constexpr Flag<JobName> kJob{
    "JOB", "", "the job's number",
    [](JobName& name, const std::string& text) { return take_job(name.job, text); }};

ServerClient::ServerClient(HttpClient http, const ServerOptions& options, Io& io)
    : http_(std::move(http)), options_(options), io_(io) {}

Result<std::string> ServerClient::ask(const ClientRequest& request) {
  const auto response = http_.send(request, io_.stop);
  if (!response) return response.error();
  if (response->status / 100 == 2) return response->body;
  return refusal(*response);
}

Result<ToldJob> ServerClient::ask_job(const ClientRequest& request) {
  const auto response = http_.send(request, io_.stop);
  return response ? job_of(*response) : response.error();
}

Result<ToldJob> ServerClient::job(const std::string& id) {
  const auto job = http_.send({.path = "/v1/jobs/" + id}, io_.stop);
  if (!job) return job.error();
  if (job->status != 404) return job_of(*job);
  const auto batch = http_.send({.path = "/v1/batches/" + id}, io_.stop);
  if (!batch) return batch.error();
  return job_of(batch->status == 404 ? *job : *batch);
}

Result<ToldJob> ServerClient::submit(ClientRequest request, const std::string& key) {
  constexpr int kAttempts = 3;
  request.method = "POST";
  request.headers.emplace_back("Idempotency-Key", key.empty() ? random_key() : key);
  std::chrono::milliseconds pause{200};
  for (int attempt = 1;; ++attempt, pause *= 2) {
    const auto response = http_.send(request, io_.stop);
    if (response) return job_of(*response);
    if (response.error().code == ErrorCode::kCancelled || attempt == kAttempts)
      return response.error();
    stopped_within(pause, io_.stop);
  }
}

Result<ToldJob> ServerClient::job_of(const ClientResponse& response) const {
  if (response.status / 100 != 2) return refusal(response);
  std::optional<ToldJob> job = ToldJob::read(response.body);
  if (!job) return no_sense();
  return *std::move(job);
}

Error ServerClient::no_sense() const {
  return {ErrorCode::kUnavailable, http_.server(), 0, "this is not a Manyply server"};
}

Error ServerClient::refusal(const ClientResponse& response) const {
  std::string detail = told_refusal(response.body);
  if (response.status == 404 && !detail.empty()) {
    const bool is_job = detail.ends_with(" does not exist");
    detail += " at " + http_.server();
    if (is_job) detail += fmt::format("; '{}' lists the jobs", command("status", ""));
  }
  if (detail.empty()) detail = fmt::format("the server responded with status {}", response.status);
  // Messages about the request itself need no server address before them.
  const bool ours = response.status == 400 || response.status == 422 || response.status == 404;
  return {ErrorCode::kUnavailable, ours ? "" : http_.server(), 0, std::move(detail)};
}

std::string ServerClient::command(std::string_view name, const std::string& id) const {
  std::string line = fmt::format("perft {}{}{}", name, id.empty() ? "" : " ", id);
  if (http_.server() != ServerOptions::kUsualServer) line += " --server " + http_.server();
  if (!options_.token_file.empty()) line += " --token-file " + options_.token_file;
  return line;
}

int ask_server(const ServerOptions& options, Io& io, const std::function<int(ServerClient&)>& ask) {
  const auto token = token_of(options.token_file);
  if (!token) return fail(io, token.error());
  Result<HttpClient> client = HttpClient::connect(options.server, *token);
  if (!client) return fail(io, client.error());
  ServerClient server(std::move(client).value(), options, io);
  return ask(server);
}

}  // namespace manyply
