// The API without sockets, with a separate job manager for each test. Checks every response against
// openapi.json.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/server/api_contract.h"
#include "tests/tools/server/held_count.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/routes.h"

namespace manyply {

using nlohmann::json;

class RoutesTest : public testing::Test {
 protected:
  RoutesTest() {
    options_.state_dir = dir_.path();
    options_.counting.threads = 2;
    options_.counting.table_bytes = std::uint64_t{8} << 20;
    // No short lane, because on a slow machine short jobs would not wait behind long ones.
    options_.short_lane.limit = std::chrono::milliseconds(0);
  }

  /// Starts the API, or starts it again as after a restart.
  void start(RoutesOptions routes = {}) {
    routes_.reset();
    manager_.reset();
    auto manager = JobManager::start(options_, world_);
    ASSERT_TRUE(manager.ok()) << manager.error().to_string();
    manager_ = std::move(manager).value();
    routes_.emplace(*manager_, std::move(routes));
  }
  /// Starts the API with jobs that wait until the test ends.
  void start_stuck(RoutesOptions routes = {}) {
    world_.runner = run_until_stopped;
    start(std::move(routes));
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = "",
                 const Headers& more = {}) {
    HttpRequest request{method, target, {{"Host", "127.0.0.1:8080"}}, body, "1"};
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    return ask(request);
  }
  HttpAnswer ask(const HttpRequest& request, const std::stop_token& stop = {}) {
    HttpAnswer answer = routes_->answer(request, stop);
    if (auto* later = std::get_if<EventStreamAnswer>(&answer); later != nullptr && later->then) {
      later->then = [then = std::move(later->then), request] {
        HttpResponse last = then();
        EXPECT_THAT(contract().problems(request, last), testing::IsEmpty()) << request.target;
        return last;
      };
      return answer;
    }
    EXPECT_THAT(contract().problems(request, answer), testing::IsEmpty()) << request.body;
    return answer;
  }
  HttpResponse respond(const std::string& method, const std::string& target,
                       const std::string& body = "", const Headers& more = {}) {
    HttpAnswer answer = ask(method, target, body, more);
    auto* response = std::get_if<HttpResponse>(&answer);
    if (response == nullptr) ADD_FAILURE() << target << " answers a stream";
    return response != nullptr ? std::move(*response) : HttpResponse{};
  }
  HttpResponse get(const std::string& target, const Headers& more = {}) {
    return respond("GET", target, "", more);
  }
  HttpResponse post(const std::string& target, const std::string& body, const Headers& more = {}) {
    return respond("POST", target, body, more);
  }

  json diff(const json& request) { return body_of(post("/v1/diff", request.dump())); }
  /// Returns the result of a job in a format.
  std::string result_of(const json& job, const std::string& format) {
    return get("/v1/jobs/" + job["id"].dump() + "/result?format=" + format).body;
  }
  /// Asks without checking the response against the contract.
  HttpResponse unchecked(const std::string& method, const std::string& target, Headers headers = {},
                         const std::string& body = "") {
    headers.emplace_back("Host", "localhost");
    return std::get<HttpResponse>(routes_->answer({method, target, headers, body, "1"}));
  }
  static Headers bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

  HttpResponse send_batch(const std::string& epd, const std::string& query = "",
                          const Headers& more = {}, const std::string& type = "application/x-epd") {
    HttpRequest request{"POST", "/v1/batches" + query, {{"Host", "localhost"}}, epd, "1"};
    request.headers.emplace_back("Content-Type", type);
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    return std::get<HttpResponse>(ask(request));
  }

  /// Returns the checker for the document that the server returns.
  static ApiContract& contract() {
    static ApiContract contract{json::parse(openapi_document())};
    return contract;
  }

  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  static json body_of(const HttpResponse& response) {
    json body = json::parse(response.body, nullptr, false);
    EXPECT_FALSE(body.is_discarded()) << response.body;
    return body;
  }

  /// Submits a job, waits for its end, and returns the finished job.
  json finish(const std::string& body) {
    const HttpResponse accepted = post("/v1/jobs", body);
    EXPECT_THAT(accepted.status, testing::AnyOf(200, 202)) << accepted.body;
    const std::string location = header(accepted, "Location");
    for (;;) {
      json job = body_of(get(location));
      if (job["state"] != "queued" && job["state"] != "running") return job;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  StateDir dir_;
  JobManagerOptions options_;
  JobWorld world_;
  std::unique_ptr<JobManager> manager_;
  std::optional<Routes> routes_;
};

}  // namespace manyply
