#include "tools/client/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace manyply {
namespace {

constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;
constexpr long kConnectMs = 10'000;
constexpr long kAnswerMs = 60'000;
constexpr long kSilenceSeconds = 45;  // three heartbeats of an event stream

/// Frees an object of libcurl.
template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string result(text);
  curl_free(text);
  return result;
}

Error unavailable(std::string server, std::string why) {
  return {ErrorCode::kUnavailable, std::move(server), 0, std::move(why)};
}

struct Transfer {
  CURL* easy;
  ClientResponse response;
  const std::function<void(std::string_view)>* sink;
  bool too_long = false;
};

std::size_t receive(char* bytes, std::size_t, std::size_t size, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200 && *transfer.sink) {
    (*transfer.sink)({bytes, size});
    return size;
  }
  if (transfer.response.body.size() + size > kMaxAnswerBytes) {
    transfer.too_long = true;
    return 0;
  }
  transfer.response.body.append(bytes, size);
  return size;
}

}  // namespace

class HttpClient::Impl {
 public:
  Impl(std::string server, std::optional<std::string> token)
      : server_(std::move(server)), token_(std::move(token)) {}

  /// Returns what is wrong with the server's address; empty if the address is valid.
  std::string check() {
    const std::unique_ptr<CURLU, Free<curl_url_cleanup>> url(curl_url());
    if (!easy_ || !multi_ || !url) return "libcurl cannot be used";
    constexpr std::string_view kUnix = "unix:";
    std::string page = server_;
    if (server_.starts_with(kUnix)) {
      const std::string path = server_.substr(kUnix.size());
      const std::size_t end = std::min(path.rfind(":/"), path.size());
      if (end == 0) return "unix: must be followed by the path of a socket";
      socket_ = path.substr(0, end);
      page = "http://localhost" + (end < path.size() ? path.substr(end + 1) : "");
    }
    if (page.find("://") == std::string::npos ||
        curl_url_set(url.get(), CURLUPART_URL, page.c_str(), 0) != CURLUE_OK)
      return "'" + server_ + "' is not an address such as http://127.0.0.1:8080";
    const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return "must start with http:// or https://";
    if (!part_of(url.get(), CURLUPART_USER).empty())
      return "must not contain a user name; use --token-file";
    if (page.find_first_of("?#") != std::string::npos)
      return "must be the page's address without '?' or '#'";
    const std::string host = part_of(url.get(), CURLUPART_HOST);
    own_machine_ = host == "localhost" || host.starts_with("127.") || host == "[::1]";
    base_ = page.substr(0, page.find_last_not_of('/') + 1);
    return {};
  }

  Result<ClientResponse> send(const ClientRequest& request, const std::stop_token& stop,
                              const std::function<void(std::string_view)>& sink) {
    CURL* easy = easy_.get();
    curl_easy_reset(easy);
    Transfer transfer{easy, {}, &sink};
    std::unique_ptr<curl_slist, Free<curl_slist_free_all>> headers;
    bool complete = true;
    const auto header = [&](const std::string& line) {
      curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
      if (longer == nullptr) {
        complete = false;
        return;
      }
      if (!headers) headers.reset(longer);  // the first node; curl appends all other nodes to it
    };
    for (const auto& [name, value] : request.headers)
      header(std::string(name).append(": ").append(value));
    if (token_) header("Authorization: Bearer " + *token_);
    if (!request.body.empty()) {
      header("Content-Type: " + std::string(request.content_type));
      header("Expect:");
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    }
    if (!complete) return unavailable(server_, "out of memory");

    std::array<char, CURL_ERROR_SIZE> why{};
    curl_easy_setopt(easy, CURLOPT_URL, (base_ + request.path).c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "perft");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why.data());
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    if (own_machine_) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (!socket_.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket_.c_str());
    if (sink) {
      curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
      curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
    } else {
      curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, kAnswerMs);
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);

    const CURLcode code = transfer_until_stopped(stop);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
    if (transfer.too_long) return unavailable(server_, "the response is longer than 16 MiB");
    if (code != CURLE_OK) {
      return unavailable(server_, why[0] != '\0' ? why.data() : curl_easy_strerror(code));
    }
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    transfer.response.status = static_cast<int>(status);
    return std::move(transfer.response);
  }

  [[nodiscard]] const std::string& server() const { return server_; }

 private:
  CURLcode transfer_until_stopped(const std::stop_token& stop) {
    CURLM* multi = multi_.get();
    curl_multi_add_handle(multi, easy_.get());
    CURLcode code = CURLE_ABORTED_BY_CALLBACK;
    {
      const std::stop_callback wake(stop, [multi] { curl_multi_wakeup(multi); });
      int running = 1;
      while (running > 0 && !stop.stop_requested()) {
        if (curl_multi_perform(multi, &running) != CURLM_OK) break;
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
          if (message->msg == CURLMSG_DONE) code = message->data.result;
        }
        if (running > 0) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
      }
    }
    curl_multi_remove_handle(multi, easy_.get());
    return code;
  }

  const std::string server_;
  const std::optional<std::string> token_;
  std::string base_;    // prefix of all paths
  std::string socket_;  // empty = TCP
  bool own_machine_ = false;
  const std::unique_ptr<CURLM, Free<curl_multi_cleanup>> multi_{curl_multi_init()};
  const std::unique_ptr<CURL, Free<curl_easy_cleanup>> easy_{curl_easy_init()};
};

Result<HttpClient> HttpClient::connect(std::string server, std::optional<std::string> token) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return unavailable(server, "libcurl cannot be used");
  auto impl = std::make_unique<Impl>(std::move(server), std::move(token));
  if (std::string why = impl->check(); !why.empty())
    return Error{ErrorCode::kInvalidInput, "--server", 0, std::move(why)};
  return HttpClient(std::move(impl));
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

Result<ClientResponse> HttpClient::send(const ClientRequest& request, const std::stop_token& stop,
                                        const std::function<void(std::string_view)>& sink) {
  return impl_->send(request, stop, sink);
}

const std::string& HttpClient::server() const { return impl_->server(); }

void EventReader::feed(std::string_view bytes,
                       const std::function<void(const ServerEvent&)>& on_event) {
  for (const char c : bytes) {
    const bool belongs = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (belongs) continue;
    if (c == '\r' || c == '\n') {
      take_line(on_event);
    } else if (line_.size() < kMaxBytes) {
      line_ += c;
    } else {
      too_long_ = true;
    }
  }
}

void EventReader::take_line(const std::function<void(const ServerEvent&)>& on_event) {
  std::string line;
  line.swap(line_);
  if (line.empty()) {
    last_id_ = id_;
    if (has_data_ && !too_long_) {
      event_.data.pop_back();  // remove the end of the last line
      on_event(event_);
    }
    event_ = {};
    has_data_ = too_long_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = std::string_view(line).substr(0, colon);
  std::string_view value;
  if (colon != std::string::npos) {
    value = std::string_view(line).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
  }
  if (field == "event") {
    event_.name = value;
  } else if (field == "data") {
    has_data_ = true;
    if (event_.data.size() + value.size() < kMaxBytes) {
      event_.data.append(value).append("\n");
    } else {
      too_long_ = true;
    }
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  } else if (field == "retry" && value.find_first_not_of("0123456789") == std::string::npos) {
    long milliseconds = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (error == std::errc() && end == value.data() + value.size())
      retry_ = std::chrono::milliseconds(milliseconds);
  }
}

void EventReader::reset() {
  line_.clear();
  event_ = {};
  id_ = last_id_;
  after_return_ = has_data_ = too_long_ = false;
}

}  // namespace manyply
