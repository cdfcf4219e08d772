// Reads any text as an HTTP request: "METHOD TARGET", lines of headers, an empty line, the body.
// The reader of targets and the guard must keep their promises, and every response must conform to
// openapi.json.

#include <filesystem>

#include "tests/fuzz/expect.h"
#include "tests/tools/server/api_contract.h"
#include "tests/tools/server/held_count.h"
#include "tools/server/access.h"
#include "tools/server/routes.h"

using namespace manyply;

namespace {

constexpr std::string_view kToken = "a-token-of-some-length";

/// Returns the part of `text` before the first `end`. Removes this part and `end` from `text`.
std::string_view take(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

HttpRequest read_request(std::string_view text) {
  HttpRequest request;
  std::string_view line = take(text, '\n');
  request.method = take(line, ' ');
  request.target = line;
  while (!text.empty() && !(line = take(text, '\n')).empty()) {
    const std::string_view name = take(line, ':');
    line.remove_prefix(line.starts_with(' ') ? 1 : 0);
    request.headers.emplace_back(name, line);
  }
  request.body = text;
  request.id = "1";
  return request;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string all;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    all.append({'%', kHex[byte / 16], kHex[byte % 16]});
  }
  return all;
}

void check_target(const std::string& text) {
  const auto target = Target::parse(text);
  if (!target) {
    expect_useful(target.error(), text);
    return;
  }
  std::string again;
  for (const std::string& segment : target->segments) {
    expect(is_plain_text(segment), "segments are plain text", text);
    again += '/' + encoded(segment);
  }
  for (const auto& [name, value] : target->parameters) {
    expect(is_plain_text(name) && is_plain_text(value), "parameters are plain text", text);
    expect(target->parameter(name) == value, "parameters are there once", text);
    again +=
        (again.find('?') == std::string::npos ? '?' : '&') + encoded(name) + '=' + encoded(value);
  }
  const auto second = Target::parse(again);
  expect(second.ok(), "what was written is read", again);
  expect(second->segments == target->segments, "with the same path", again);
  expect(second->parameters == target->parameters, "and the same parameters", again);
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  return all;
}

/// If the guard admits a request, its Host and Origin must allow that.
void check_guard(const HttpRequest& request) {
  const std::string host = lower(request.header("Host").value_or(""));
  const auto origin = request.header("Origin");
  const auto same_site = [&] {
    return !origin || lower(*origin) == "http://" + host || lower(*origin) == "https://" + host;
  };
  static const RequestGuard open(nullptr);
  if (std::holds_alternative<Client>(open.admit(request, Role::kRead))) {
    expect(host.starts_with("localhost") ||
               host.find_first_not_of("0123456789abcdef.:[]") == std::string::npos,
           "strange names are refused", host);
    expect(same_site(), "other sites are refused", origin.value_or(""));
  }
  static const RequestGuard closed(std::make_shared<Clients>(AccessList::parse(kToken).value()));
  if (std::holds_alternative<Client>(closed.admit(request, Role::kRead))) {
    const std::string_view given = request.header("Authorization").value_or("");
    const bool token = given.size() == kToken.size() + 7 && given.ends_with(kToken);
    expect(token, "the token is asked for", request.target);
    expect(same_site(), "other sites are refused", origin.value_or(""));
  }
}

/// A server without a transport. Jobs of at most two plies are counted; deeper jobs never end.
class Server {
 public:
  Server() : directory_(make_directory()) {
    JobManagerOptions options;
    options.state_dir = directory_;
    options.counting.threads = 1;
    options.limits.max_queued = 4;
    options.keep_finished = 20;
    JobWorld world;
    world.runner = [](const JobRequest& request, const Resources& resources) -> Result<Answer> {
      if (request.depth <= Depth(2)) return answer_job(request, resources);
      return run_until_stopped(request, resources);
    };
    manager_ = JobManager::start(std::move(options), std::move(world)).value();
    routes_.emplace(*manager_, RoutesOptions{.diff_patience = std::chrono::milliseconds(5)});
  }
  ~Server() {
    routes_.reset();
    manager_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void check(const HttpRequest& request) {
    const HttpAnswer answer = routes_->answer(request);
    const auto* response = std::get_if<HttpResponse>(&answer);
    expect(response == nullptr || response->status != 500, "nothing breaks");
    for (const std::string& problem : contract_.problems(request, answer))
      expect(false, "answers are as documented:", problem);
  }

 private:
  static std::filesystem::path make_directory() {
    std::string name = std::filesystem::temp_directory_path() / "manyply-fuzz-XXXXXX";
    expect(mkdtemp(name.data()) != nullptr, "there is a place for files");
    return name;
  }

  std::filesystem::path directory_;
  std::unique_ptr<JobManager> manager_;
  std::optional<Routes> routes_;
  ApiContract contract_{nlohmann::json::parse(openapi_document())};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  HttpRequest request = read_request({reinterpret_cast<const char*>(data), size});
  check_target(request.target);
  check_guard(request);
  static Server server;
  server.check(request);
  request.headers.insert(request.headers.begin(), {{"Host", "localhost"}});
  request.headers.emplace_back("Content-Type", "application/json");
  server.check(request);
  return 0;
}
