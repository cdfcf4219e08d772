// Starts the real `perft serve`, and is a simple client of it.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/e2e/perft.h"
#include "tests/tools/server/state_dir.h"
#include "tests/tools/server/wire.h"

namespace manyply {

struct HttpReply {
  int status = 0;  ///< 0: no response, because the server has ended
  std::string head;
  std::string body;
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

/// Returns a request as text. `more` has header lines with their line ends.
inline std::string http_request(std::string_view method, std::string_view target,
                                std::uint16_t port, std::string_view body = {},
                                std::string_view more = {}) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port));
  text.append("\r\n").append(more);
  if (!body.empty()) {
    if (more.find("Content-Type") == std::string_view::npos)
      text += "Content-Type: application/json\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text.append("\r\n").append(body);
}

class Server {
 public:
  /// Starts the server, but does not wait until it answers. `more` are further arguments.
  /// `launcher` is a command that runs the server's command.
  explicit Server(const std::filesystem::path& state, std::vector<std::string> more = {},
                  std::vector<std::string> launcher = {})
      : process_(arguments(state, std::move(more), std::move(launcher))) {}

  /// Waits until the server answers. Returns false if it ends without answering.
  bool ready() {
    if (port_ != 0) return true;
    if (!process_.wait_for_output("/\n")) return false;
    const std::string& url = process_.output();  // http://127.0.0.1:PORT/
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    return true;
  }
  std::uint16_t port() {
    if (!ready()) throw std::runtime_error("the server did not start");
    return port_;
  }
  Process& process() { return process_; }
  ProcessResult kill() {
    process_.signal(SIGKILL);
    return process_.finish();
  }
  ProcessResult terminate() {
    process_.signal(SIGTERM);
    return process_.finish();
  }

  HttpReply ask(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view more = {}) {
    Wire wire(port());
    wire.send(http_request(method, target, port_, body, more));
    HttpReply reply;
    const std::string text = wire.response();
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) return reply;
    reply.head = text.substr(0, end + 2);
    reply.body = text.substr(end + 4);
    reply.status = std::atoi(text.c_str() + 9);
    return reply;
  }

  /// Submits a job. Returns its id.
  std::string submit(const nlohmann::json& job) {
    const HttpReply reply = ask("POST", "/v1/jobs", job.dump());
    EXPECT_TRUE(reply.status == 202 || reply.status == 200) << reply.head << reply.body;
    return reply.json()["id"].dump();
  }
  nlohmann::json job(const std::string& id) { return ask("GET", "/v1/jobs/" + id).json(); }

  /// Follows a job. The head of the response has already been read.
  Wire follow(const std::string& id, const std::string& last_event = {}) {
    Wire wire(port());
    wire.send(http_request("GET", "/v1/jobs/" + id + "/events", port_, {},
                           last_event.empty() ? "" : "Last-Event-ID: " + last_event + "\r\n"));
    wire.read_to("\r\n\r\n");
    return wire;
  }

 private:
  static std::vector<std::string> arguments(const std::filesystem::path& state,
                                            const std::vector<std::string>& more,
                                            std::vector<std::string> launcher) {
    std::vector<std::string> all{"serve", "--listen", "127.0.0.1:0", "--state", state.string()};
    all.insert(all.end(), more.begin(), more.end());
    all = perft_argv(all);
    launcher.insert(launcher.end(), all.begin(), all.end());
    return launcher;
  }

  Process process_;
  std::uint16_t port_ = 0;
};

/// Writes a file of tokens, which only its owner may read. Creates its folder.
inline void write_tokens(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  std::filesystem::permissions(file, std::filesystem::perms(0600));
}

/// Counts for many seconds on any machine.
inline const nlohmann::json kLong{{"depth", 11}, {"mode", "unhashed"}};

/// One event of a stream.
struct StreamEvent {
  std::string id;
  std::string name;
  nlohmann::json job;
};

/// Returns the next event; skips comments and `retry`. An event without a name means that the
/// stream has ended.
inline StreamEvent next_event(Wire& wire) {
  for (;;) {
    const std::string block = wire.read_to("\n\n");
    if (block.empty()) return {};
    const auto field = [&block](const std::string& name) {
      const std::size_t at = block.starts_with(name) ? 0 : block.find('\n' + name);
      if (at == std::string::npos) return std::string();
      const std::size_t start = block.find(": ", at) + 2;
      return block.substr(start, block.find('\n', start) - start);
    };
    if (field("event:").empty()) continue;
    return {field("id:"), field("event:"), nlohmann::json::parse(field("data:"), nullptr, false)};
  }
}

}  // namespace manyply
