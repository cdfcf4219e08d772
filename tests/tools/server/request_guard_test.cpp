#include "tools/server/request_guard.h"

#include <gtest/gtest.h>

namespace manyply {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

int status(const RequestGuard& guard, const std::string& target, const Headers& headers) {
  const auto refusal = guard.refusal({"GET", target, headers, "", "1"});
  return refusal ? refusal->status : 200;
}

TEST(RequestGuard, AnswersToNamesThatNobodyElseCanTake) {
  const RequestGuard guard({});
  for (const char* host :
       {"localhost", "LocalHost:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "192.168.1.7:8080"}) {
    EXPECT_EQ(status(guard, "/v1/jobs", {{"Host", host}}), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example"})
    EXPECT_EQ(status(guard, "/v1/jobs", {{"Host", host}}), 421) << host;
  for (const char* host : {"", ":80", "[::1", "localhost:", "localhost:x", "localhost:123456"})
    EXPECT_EQ(status(guard, "/v1/jobs", {{"Host", host}}), 400) << host;
  EXPECT_EQ(status(guard, "/healthz", {}), 400);
  EXPECT_EQ(status(guard, "/healthz", {{"Host", "localhost"}, {"host", "localhost"}}), 400);
}

TEST(RequestGuard, RefusesPagesOfOtherOrigins) {
  const RequestGuard guard({});
  const auto from = [&](const Headers& more) {
    Headers headers{{"Host", "localhost:8080"}};
    headers.insert(headers.end(), more.begin(), more.end());
    return status(guard, "/v1/jobs", headers);
  };
  EXPECT_EQ(from({{"Origin", "http://localhost:8080"}}), 200);
  EXPECT_EQ(from({{"Origin", "https://localhost:8080"}}), 200) << "behind a proxy";
  for (const char* origin : {"http://localhost", "http://localhost:80801", "http://127.0.0.1:8080",
                             "http://evil.example", "null", ""}) {
    EXPECT_EQ(from({{"Origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(from({{"Origin", "http://localhost:8080"}, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(from({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}}), 403);
  EXPECT_EQ(from({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}}), 200);
  EXPECT_EQ(from({{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Mode", "cors"}}), 200);
}

TEST(RequestGuard, AsksForTheTokenWhereThereIsSomethingToTake) {
  const RequestGuard guard({.token = "secret-secret-secret"});
  const auto with = [&](const std::string& target, const std::string& authorization) {
    Headers headers{{"Host", "perft.example"}};
    if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
    return status(guard, target, headers);
  };
  for (const char* open : {"/", "/app.js", "/healthz", "/readyz", "/openapi.json"})
    EXPECT_EQ(with(open, ""), 200) << open;
  for (const char* closed :
       {"/v1/jobs", "/v1/position?fen=x", "/metrics", "/metrics?", "/%76%31/jobs", "/v1"}) {
    EXPECT_EQ(with(closed, ""), 401) << closed;
    EXPECT_EQ(with(closed, "Bearer secret-secret-secret"), 200) << closed;
    EXPECT_EQ(with(closed, "bearer secret-secret-secret"), 200) << closed;
    for (const char* wrong : {"Bearer", "Bearer ", "Bearer secret", "Basic secret-secret-secret",
                              "Bearer secret-secret-secret ", "Bearer secret-secret-secreT"}) {
      EXPECT_EQ(with(closed, wrong), 401) << wrong;
    }
  }
}

TEST(RequestGuard, ComparesAllOfTheToken) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "a", "ab", "abd", "bbc", "abcabc", "abcd"})
    EXPECT_FALSE(equal_in_constant_time("abc", other)) << other;
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

}  // namespace
}  // namespace manyply
