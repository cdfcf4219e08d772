// Requests to a Manyply server. The only file that knows of libcurl is http_client.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace manyply {

struct ClientRequest {
  std::string method = "GET";
  std::string path;  ///< "/v1/jobs"
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string_view content_type = "application/json";  ///< of the body, if there is one
};

struct ClientResponse {
  int status = 0;
  std::string body;
};

/// One server, and the connection to it that is kept. One thread at a time.
class HttpClient {
 public:
  /// `server` is the address of its page, "http://127.0.0.1:8080" or "https://example.org/perft/",
  /// or "unix:PATH" of its socket, "unix:PATH:/perft/" where the page is below a base path: the
  /// last ":/" counts, so that "unix:PATH:/" may name any socket. Error: kInvalidInput (field
  /// "--server").
  static Result<HttpClient> connect(std::string server, std::optional<std::string> token);
  HttpClient(HttpClient&& other) noexcept;
  ~HttpClient();

  /// What is given to `sink` is left out of the body; a stream may go on as long as something
  /// comes at least every 45 s, anything else must end within a minute. Errors: kUnavailable (no
  /// connection, or lost), kCancelled (`stop`, at once). A status that refuses is none.
  Result<ClientResponse> send(const ClientRequest& request, const std::stop_token& stop,
                              const std::function<void(std::string_view)>& sink = nullptr);

  [[nodiscard]] const std::string& server() const;  ///< as it was given

 private:
  class Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply
