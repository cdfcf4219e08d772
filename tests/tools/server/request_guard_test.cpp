#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/server/clients_of.h"
#include "tools/server/access.h"

namespace manyply {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

int status(const RequestGuard& guard, const Headers& headers, Role needed = Role::kRead) {
  const auto admitted = guard.admit({"GET", "/", headers, "", "1"}, needed);
  const auto* refusal = std::get_if<HttpResponse>(&admitted);
  return refusal != nullptr ? refusal->status : 200;
}

TEST(RequestGuard, AnswersToNamesThatNobodyElseCanTake) {
  const RequestGuard guard(nullptr);
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
  const RequestGuard guard(nullptr);
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
  const RequestGuard guard(clients_of("secret-secret-secret"));
  const auto with = [&](Role needed, const std::string& authorization) {
    Headers headers{{"Host", "perft.example"}};
    if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
    return status(guard, headers, needed);
  };
  EXPECT_EQ(with(Role::kNone, ""), 200);
  EXPECT_EQ(with(Role::kRead, ""), 401);
  for (const Role needed : {Role::kRead, Role::kSubmit, Role::kAdmin}) {
    EXPECT_EQ(with(needed, "Bearer secret-secret-secret"), 200);
    EXPECT_EQ(with(needed, "bearer secret-secret-secret"), 200);
  }
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer secret", "Basic secret-secret-secret",
                            "Bearer secret-secret-secret ", "Bearer secret-secret-secreT"}) {
    EXPECT_EQ(with(Role::kRead, wrong), 401) << wrong;
  }
  const std::string good = "Bearer secret-secret-secret";
  EXPECT_EQ(status(guard, {{"Host", "x"}, {"Authorization", good}, {"Authorization", good}}), 401);

  const auto refused = guard.admit({"GET", "/", {{"Host", "x"}}, "", "1"}, Role::kRead);
  const std::pair<std::string, std::string> scheme{"WWW-Authenticate", "Bearer"};
  EXPECT_EQ(std::ranges::count(std::get<HttpResponse>(refused).headers, scheme), 1);
}

TEST(RequestGuard, WithoutAListAnybodyIsAnAdministrator) {
  const auto admitted =
      RequestGuard(nullptr).admit({"GET", "/", {{"Host", "localhost"}}, "", "1"}, Role::kAdmin);
  ASSERT_TRUE(std::holds_alternative<Client>(admitted));
  EXPECT_EQ(std::get<Client>(admitted).role, Role::kAdmin);
  EXPECT_TRUE(std::get<Client>(admitted).anonymous);
}

TEST(RequestGuard, ATokenIsGoodForItsRoleAndThoseBelow) {
  const RequestGuard guard(
      clients_of("ann read ann-ann-ann-ann-ann\n"
                 "sam submit sam-sam-sam-sam-sam\n"
                 "ada admin ada-ada-ada-ada-ada\n"));
  const auto with = [&](const std::string& token, Role needed) {
    return status(guard, {{"Host", "localhost"}, {"Authorization", "Bearer " + token}}, needed);
  };
  EXPECT_EQ(with("ann-ann-ann-ann-ann", Role::kRead), 200);
  EXPECT_EQ(with("ann-ann-ann-ann-ann", Role::kSubmit), 403);
  EXPECT_EQ(with("ann-ann-ann-ann-ann", Role::kAdmin), 403);
  EXPECT_EQ(with("sam-sam-sam-sam-sam", Role::kRead), 200);
  EXPECT_EQ(with("sam-sam-sam-sam-sam", Role::kSubmit), 200);
  EXPECT_EQ(with("sam-sam-sam-sam-sam", Role::kAdmin), 403);
  EXPECT_EQ(with("ada-ada-ada-ada-ada", Role::kAdmin), 200);
  EXPECT_EQ(with("eve-eve-eve-eve-eve", Role::kRead), 401);
}

}  // namespace
}  // namespace manyply
