// Tests who may do what: lists of clients, the guard of requests, digests of tokens, and quotas.
#include "tools/server/access.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/e2e/readme.h"
#include "tests/support/eventually.h"
#include "tests/tools/server/held_count.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/jobs/job_store.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
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

// Compares digests with published values: the examples of FIPS 180-4 (NIST), and digests by
// sha256sum for lengths at which the padding changes.

std::string hexadecimal(std::string_view text) {
  std::string all;
  for (const std::uint8_t byte : sha256(text)) all += fmt::format("{:02x}", byte);
  return all;
}

TEST(Sha256, MatchesPublishedValues) {
  EXPECT_EQ(hexadecimal(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsAtEveryLength) {
  for (const auto& [length, digest] :
       {std::pair(54U, "a3f01b6939256127582ac8ae9fb47a382a244680806a3f613a118851c1ca1d47"),
        {55U, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56U, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63U, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64U, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65U, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119U, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120U, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128U, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"}})
    EXPECT_EQ(hexadecimal(std::string(length, 'a')), digest) << length;
}

// Tests the quotas of named clients, which must survive a restart.

Client named(std::string name, Quota quota = {}, Role role = Role::kSubmit) {
  return {.name = std::move(name), .role = role, .quota = quota};
}

Quota may_queue(std::size_t jobs) { return {.queued = jobs}; }
Quota may_run(seconds time) { return {.running = time}; }
Quota may_store(std::uint64_t bytes) { return {.stored_bytes = bytes}; }

class QuotaTest : public testing::Test {
 protected:
  QuotaTest() {
    options_.state_dir = dir_.path();
    options_.counting.threads = 1;
    options_.short_lane.limit = milliseconds(0);  // no short lane, so that jobs wait
    options_.progress_interval = milliseconds(5);
    world_.now = [this] { return now_; };
  }

  void start() {
    manager_.reset();
    auto manager = JobManager::start(options_, world_);
    ASSERT_TRUE(manager.ok()) << manager.error().to_string();
    manager_ = std::move(manager).value();
  }
  /// Starts a manager whose jobs run until they are stopped.
  void start_stuck() {
    world_.runner = run_until_stopped;
    start();
  }

  /// Returns the field of the refusal; "" if the job is accepted.
  std::string refused(const Client& client, int depth) {
    const auto answer = manager_->submit(request_of(depth), client);
    const auto* refusal = std::get_if<Refusal>(&answer);
    if (refusal != nullptr) kind_ = refusal->kind;
    return refusal != nullptr ? refusal->error.field : "";
  }
  JobView submit(const Client& client, const JobRequest& request) {
    auto answer = manager_->submit(request, client);
    if (auto* submission = std::get_if<Submission>(&answer)) return submission->job;
    ADD_FAILURE() << std::get<Refusal>(answer).error.to_string();
    return {};
  }
  JobView get(JobId id) { return manager_->get(id).value().value(); }
  JobView finished(JobId id) {
    EXPECT_TRUE(eventually([&] { return is_final(get(id).state); }));
    return get(id);
  }

  StateDir dir_;
  JobManagerOptions options_;
  JobWorld world_;
  std::unique_ptr<JobManager> manager_;
  WallTime now_{hours(24 * 365 * 50)};
  Refusal::Kind kind_{};
};

TEST_F(QuotaTest, SoManyJobsMayWait) {
  start_stuck();
  const Client ci = named("ci", may_queue(1));
  const JobId running = submit(ci, request_of(2)).id;
  ASSERT_TRUE(eventually([&] { return get(running).state == JobState::kRunning; }));
  EXPECT_EQ(submit(ci, request_of(3)).client, "ci");
  EXPECT_EQ(refused(ci, 4), "queued");
  EXPECT_EQ(kind_, Refusal::Kind::kQueueFull);
  EXPECT_EQ(refused(named("other", may_queue(1)), 4), "");
  EXPECT_EQ(refused(Client::anybody(), 5), "");
  start_stuck();
  ASSERT_TRUE(eventually([&] { return get(running).state == JobState::kRunning; }));
  EXPECT_EQ(get(running).client, "ci");
  EXPECT_EQ(refused(ci, 4), "queued") << "after a restart";
  ASSERT_TRUE(manager_->cancel({2}).ok());
  EXPECT_EQ(refused(ci, 4), "");
}

TEST_F(QuotaTest, JobsOfADayRunSoLong) {
  {
    const auto store = JobStore::open(dir_.path()).value();
    const JobRequest request = request_of(3);
    const JobId id = store->accept(request, request_digest(request), now_, "ci").value();
    ASSERT_EQ(store->pause(id, seconds(1000)), std::nullopt);
    EXPECT_EQ(store->usage_of("ci", now_ - hours(24))->ran, seconds(1000));
    ASSERT_TRUE(
        store->finish(id, request, {JobState::kCancelled, now_, {}, {}, seconds(2600)}).ok());
    EXPECT_EQ(store->usage_of("ci", now_ - hours(24))->ran, seconds(3600));
    EXPECT_EQ(store->usage_of("ci", now_)->ran, seconds(0));
    EXPECT_EQ(store->usage_of("other", now_ - hours(24))->ran, seconds(0));
  }
  start();
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 2), "running");
  EXPECT_EQ(kind_, Refusal::Kind::kQueueFull);
  EXPECT_EQ(refused(named("ci", may_run(seconds(3601))), 2), "");
  EXPECT_EQ(refused(named("other", may_run(hours(1))), 2), "");
  manager_.reset();  // the manager's threads read the clock, so end them first
  now_ += hours(25);
  start();
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 4), "");
}

TEST_F(QuotaTest, ARunningJobEndsWithItsClientsTime) {
  options_.quota_of = [](const std::string& client) {
    return client == "ci" ? may_run(seconds(0)) : Quota{};
  };
  start_stuck();
  const JobView failed = finished(submit(named("ci"), request_of(3)).id);
  EXPECT_EQ(failed.state, JobState::kFailed);
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->field, "running");
  const JobId other = submit(named("other"), request_of(3)).id;
  EXPECT_TRUE(eventually([&] { return get(other).progress.seconds > 0.05; }));
  EXPECT_EQ(get(other).state, JobState::kRunning);
}

TEST_F(QuotaTest, WhatHasRunAndWhatRunsIsOneSum) {
  {
    const auto store = JobStore::open(dir_.path()).value();
    const JobRequest request = request_of(3);
    const JobId id = store->accept(request, request_digest(request), now_, "ci").value();
    ASSERT_TRUE(
        store
            ->finish(id, request, {JobState::kCancelled, now_, {}, {}, hours(1) - milliseconds(20)})
            .ok());
  }
  start_stuck();
  const JobId running = submit(named("ci", may_run(hours(1))), request_of(2)).id;
  ASSERT_TRUE(eventually([&] { return get(running).progress.seconds > 0.02; }));
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 4), "running") << "no time is left";
  EXPECT_EQ(get(running).state, JobState::kRunning) << "nobody has limited it";

  ASSERT_TRUE(manager_->cancel(running).ok());
  finished(running);
  options_.quota_of = [](const std::string&) { return may_run(hours(1) + seconds(1)); };
  start_stuck();
  const JobView failed = finished(submit(named("ci"), request_of(5)).id);
  ASSERT_TRUE(failed.error) << "it had a second at most";
  EXPECT_EQ(failed.error->field, "running");
}

TEST_F(QuotaTest, WhatRanBeforeARestartIsRemembered) {
  start_stuck();
  const JobId id = submit(named("ci"), request_of(3)).id;
  ASSERT_TRUE(eventually([&] { return get(id).progress.seconds > 0.01; }));
  manager_.reset();
  const auto store = JobStore::open(dir_.path()).value();
  EXPECT_GE(store->usage_of("ci", now_ - hours(24))->ran, milliseconds(10));
}

TEST_F(QuotaTest, JobsTakeSoManyBytes) {
  start();
  const JobView done = finished(submit(named("ci"), request_of(3)).id);
  EXPECT_EQ(refused(named("ci", may_store(done.document.size())), 2), "stored");
  EXPECT_EQ(kind_, Refusal::Kind::kNoRoom);
  EXPECT_EQ(refused(named("ci", may_store(done.document.size())), 3), "") << "is known";
  EXPECT_EQ(refused(named("ci", may_store(done.document.size() + 1000)), 2), "");
  EXPECT_EQ(refused(named("other", may_store(1)), 1), "");
}

TEST_F(QuotaTest, WhoIsNoAdministratorHasADeadline) {
  options_.limits.default_deadline = seconds(60);
  start_stuck();
  EXPECT_EQ(submit(Client::anybody(), request_of(2)).request.deadline, seconds(60));
  EXPECT_EQ(submit(named("ci"), request_of(2)).request.deadline, seconds(60));
  EXPECT_EQ(submit(named("ada", {}, Role::kAdmin), request_of(2)).request.deadline, std::nullopt);
  JobRequest patient = request_of(2);
  patient.deadline = seconds(90);
  EXPECT_EQ(submit(named("ci"), patient).request.deadline, seconds(90));
  options_.limits.max_deadline = seconds(30);
  start_stuck();
  EXPECT_EQ(submit(named("ci"), request_of(2)).request.deadline, seconds(30));
  EXPECT_EQ(submit(named("ada", {}, Role::kAdmin), request_of(2)).request.deadline, seconds(30));
}

TEST_F(QuotaTest, KeysAreEachClientsOwn) {
  start_stuck();
  JobRequest request = request_of(2);
  request.idempotency_key = "once";
  JobRequest other = request_of(3);
  other.idempotency_key = "once";
  const JobId of_ann = submit(named("ann"), request).id;
  EXPECT_EQ(submit(named("bob"), other).client, "bob");
  EXPECT_EQ(submit(Client::anybody(), other).client, "");
  EXPECT_EQ(submit(named("ann"), request).id, of_ann);
  EXPECT_EQ(std::get<Refusal>(manager_->submit(other, named("ann"))).kind,
            Refusal::Kind::kConflict);
}

}  // namespace
}  // namespace manyply
