#include "tools/server/request_guard.h"

#include <gtest/gtest.h>

namespace manyply {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

int status(const RequestGuard& guard, const Headers& headers, Access access = Access::kToken) {
  const auto refusal = guard.refusal({"GET", "/", headers, "", "1"}, access);
  return refusal ? refusal->status : 200;
}

TEST(RequestGuard, AnswersToNamesThatNobodyElseCanTake) {
  const RequestGuard guard({});
  for (const char* host :
       {"localhost", "LocalHost:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "192.168.1.7:8080"}) {
    EXPECT_EQ(status(guard, {{"Host", host}}), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example"})
    EXPECT_EQ(status(guard, {{"Host", host}}), 421) << host;
  for (const char* host : {"", ":80", "[::1", "localhost:", "localhost:x", "localhost:123456"})
    EXPECT_EQ(status(guard, {{"Host", host}}), 400) << host;
  EXPECT_EQ(status(guard, {}), 400);
  EXPECT_EQ(status(guard, {{"Host", "localhost"}, {"host", "localhost"}}), 400);
}

TEST(RequestGuard, RefusesPagesOfOtherOrigins) {
  const RequestGuard guard({});
  const auto from = [&](const Headers& more) {
    Headers headers{{"Host", "localhost:8080"}};
    headers.insert(headers.end(), more.begin(), more.end());
    return status(guard, headers);
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

TEST(RequestGuard, AsksForTheTokenUnlessItIsOpen) {
  const RequestGuard guard({.token = "secret-secret-secret"});
  const auto with = [&](Access access, const std::string& authorization) {
    Headers headers{{"Host", "perft.example"}};
    if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
    return status(guard, headers, access);
  };
  EXPECT_EQ(with(Access::kOpen, ""), 200);
  EXPECT_EQ(with(Access::kToken, ""), 401);
  EXPECT_EQ(with(Access::kToken, "Bearer secret-secret-secret"), 200);
  EXPECT_EQ(with(Access::kToken, "bearer secret-secret-secret"), 200);
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer secret", "Basic secret-secret-secret",
                            "Bearer secret-secret-secret ", "Bearer secret-secret-secreT"}) {
    EXPECT_EQ(with(Access::kToken, wrong), 401) << wrong;
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
