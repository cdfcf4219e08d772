#include <gmock/gmock.h>

#include "tests/e2e/readme.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/access.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string why_not(std::string_view text) {
  const auto list = AccessList::parse(text);
  return list.ok() ? "" : list.error().message;
}

TEST(AccessList, NamesRolesTokensAndQuotas) {
  // The digest is the output of sha256sum for 'a-secret-of-some-length'.
  const auto list = AccessList::parse(
      "# who may do what\n"
      "\n"
      "reader read   0123456789abcdef\r\n"
      "  nightly.tests\tsubmit "
      "sha256:18545a3f77f390fb2ab08ea7ae9f1845d6fbf7759c6d468867e51ad1419708a9  queued=20 "
      "running=3600 stored=64M\n"
      "ada admin another-secret-of-some-length");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list->size(), 3U);
  const Client* const reader = list->find("0123456789abcdef");
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->name, "reader");
  EXPECT_EQ(reader->role, Role::kRead);
  EXPECT_FALSE(reader->quota.queued || reader->quota.running || reader->quota.stored_bytes);
  const Client* const tests = list->find("a-secret-of-some-length");
  ASSERT_NE(tests, nullptr);
  EXPECT_EQ(tests->name, "nightly.tests");
  EXPECT_EQ(tests->role, Role::kSubmit);
  EXPECT_EQ(tests->quota.queued, 20U);
  EXPECT_EQ(tests->quota.running, std::chrono::hours(1));
  EXPECT_EQ(tests->quota.stored_bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(list->quota_of("nightly.tests").queued, 20U);
  EXPECT_FALSE(list->quota_of("nobody").queued);
  ASSERT_NE(list->find("another-secret-of-some-length"), nullptr);
  EXPECT_EQ(list->find("another-secret-of-some-length")->role, Role::kAdmin);
  for (const char* nobody :
       {"", "0123456789abcde", "0123456789abcdeF", "ada", "reader",
        "sha256:18545a3f77f390fb2ab08ea7ae9f1845d6fbf7759c6d468867e51ad1419708a9"})
    EXPECT_EQ(list->find(nobody), nullptr) << nobody;
}

TEST(AccessList, TheReadmesIsOne) {
  const auto list = AccessList::parse(code_of("tools/server/README.md", "Who may do what"));
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list->size(), 3U);
  EXPECT_EQ(list->quota_of("nightly").running, std::chrono::hours(1));
}

// The format of files before clients had names.
TEST(AccessList, OneWordIsAnAdministratorsToken) {
  for (const std::string secret : {"#-as-old-as-it-may-be", "0123456789abcdef"}) {
    for (const char* end : {"", "\n", "\r\n\n"}) {
      const auto list = AccessList::parse(secret + end);
      ASSERT_TRUE(list.ok()) << secret;
      const Client* const client = list->find(secret);
      ASSERT_NE(client, nullptr) << secret;
      EXPECT_EQ(client->role, Role::kAdmin);
      EXPECT_EQ(client->name, "");
    }
  }
}

TEST(AccessList, ErrorsSayTheLineAndNoSecret) {
  const std::string good = "ada admin another-secret-of-some-length\n";
  EXPECT_THAT(why_not(good + "\nbob"), StartsWith("line 3: must contain a name"));
  EXPECT_THAT(why_not(good + "bob 0123456789abcdef"), StartsWith("line 2: must contain a name"));
  EXPECT_THAT(why_not(good + "b/b read 0123456789abcdef"),
              StartsWith("line 2: 'b/b' is not a valid name"));
  EXPECT_EQ(why_not(good + std::string(32, 'b') + " read 0123456789abcdef"), "");
  EXPECT_THAT(why_not(good + std::string(33, 'b') + " read 0123456789abcdef"),
              HasSubstr("at most 32"));
  EXPECT_THAT(why_not(good + "bob write 0123456789abcdef"), HasSubstr("is not a role"));
  EXPECT_THAT(why_not(good + "bob none 0123456789abcdef"), HasSubstr("is not a role"));
  EXPECT_THAT(why_not(good + "bob read short-secret"), HasSubstr("fewer than 16"));
  EXPECT_THAT(why_not(good + "bob read short-secret"), Not(HasSubstr("short-secret")));
  EXPECT_THAT(why_not(good + "bob read 0123456789abcdef\x7f"), HasSubstr("visible ASCII"));
  EXPECT_THAT(why_not(good + "bob read sha256:12"), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(why_not(good + "bob read sha256:" + std::string(64, 'x')), HasSubstr("hexadecimal"));
  EXPECT_THAT(why_not(good + "ada read 0123456789abcdef"), HasSubstr("'ada' is already the name"));
  EXPECT_THAT(why_not(good + "bob read another-secret-of-some-length"),
              HasSubstr("token as 'ada'"));
  for (const char* quota :
       {"queued", "queued=", "queued=x", "queued=-1", "running=1h", "stored=x", "weight=3", "=3"}) {
    EXPECT_THAT(why_not(good + "bob read 0123456789abcdef " + quota), StartsWith("line 2: "))
        << quota;
  }
  EXPECT_THAT(why_not("# nobody yet\n\n"), HasSubstr("no client"));
  EXPECT_THAT(why_not(""), HasSubstr("fewer than 16"));
}

TEST(AccessList, DigestsMayBeInCapitals) {
  std::string digest = "18545a3f77f390fb2ab08ea7ae9f1845d6fbf7759c6d468867e51ad1419708a9";
  for (char& c : digest) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto list = AccessList::parse("tests submit sha256:" + digest);
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_NE(list->find("a-secret-of-some-length"), nullptr);
}

TEST(AccessList, AFileIsOneThatOthersCannotRead) {
  const StateDir dir;
  std::filesystem::create_directories(dir.path());
  EXPECT_THAT(AccessList::read(dir.path()).error().message, HasSubstr("not a regular file"));
  const std::filesystem::path file = dir.path() / "tokens";
  EXPECT_FALSE(AccessList::read(file).ok());
  std::ofstream(file) << "ada admin another-secret-of-some-length\n";
  for (const unsigned mode : {0604U, 0602U, 0601U}) {
    std::filesystem::permissions(file, std::filesystem::perms(mode));
    EXPECT_THAT(AccessList::read(file).error().message, HasSubstr("other users")) << mode;
  }
  for (const unsigned mode : {0600U, 0640U}) {
    std::filesystem::permissions(file, std::filesystem::perms(mode));
    EXPECT_TRUE(AccessList::read(file).ok()) << mode;
  }
}

TEST(AccessList, DigestsAreComparedToTheLastByte) {
  const Sha256 digest = sha256("");
  EXPECT_TRUE(equal_in_constant_time(digest, digest));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    Sha256 other = digest;
    other[i] ^= 0x80;
    EXPECT_FALSE(equal_in_constant_time(digest, other)) << i;
  }
}

}  // namespace
}  // namespace manyply
