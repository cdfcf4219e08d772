// Tests parts of the HTTP server: addresses, the reader of requests, and the hub of events.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tools/server/http/event_hub.h"
#include "tools/server/http/http_server.h"
#include "tools/server/serve_command.h"

namespace manyply {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ListenAddress, TellsThisMachineFromTheWorld) {
  const struct {
    const char* text;
    const char* address;
    int port;
    bool loopback;
    const char* url;
  } cases[] = {
      {"127.0.0.1:8080", "127.0.0.1", 8080, true, "http://127.0.0.1:8080/"},
      {"127.9.9.9:1", "127.9.9.9", 1, true, "http://127.9.9.9:1/"},
      {"localhost:0", "127.0.0.1", 0, true, "http://127.0.0.1:0/"},
      {":80", "127.0.0.1", 80, true, "http://127.0.0.1:80/"},
      {"[::1]:8080", "::1", 8080, true, "http://[::1]:8080/"},
      {"0.0.0.0:65535", "0.0.0.0", 65535, false, "http://0.0.0.0:65535/"},
      {"192.168.1.2:80", "192.168.1.2", 80, false, "http://192.168.1.2:80/"},
      {"[::]:80", "::", 80, false, "http://[::]:80/"},
      {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80, false, "http://[::ffff:127.0.0.1]:80/"},
  };
  for (const auto& [text, address, port, loopback, url] : cases) {
    const auto listen = parse_listen_address(text);
    ASSERT_TRUE(listen.ok()) << text;
    EXPECT_EQ(listen->address, address);
    EXPECT_EQ(listen->port, port);
    EXPECT_EQ(listen->loopback, loopback) << text;
    EXPECT_EQ(url_of(*listen), url);
  }
}

TEST(ListenAddress, ASocketIsNamedByItsPath) {
  const auto listen = parse_listen_address("unix:/run/perft:1.sock");
  EXPECT_EQ(listen->socket, "/run/perft:1.sock");
  EXPECT_TRUE(listen->loopback);
  EXPECT_EQ(url_of(*listen), "unix:/run/perft:1.sock");
  EXPECT_EQ(url_of(*listen, "/perft/"), "unix:/run/perft:1.sock:/perft/");
  EXPECT_EQ(url_of(parse_listen_address("unix:/a:/b").value()), "unix:/a:/b:/");
  EXPECT_TRUE(parse_listen_address("unix:" + std::string(107, 'x')).ok()) << "as long as can be";
  EXPECT_FALSE(parse_listen_address("unix:" + std::string(108, 'x')).ok());
  EXPECT_FALSE(parse_listen_address("unix:").ok());
}

TEST(ListenAddress, RefusesWhatIsNone) {
  for (const char* text : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                           "127.0.0.1:80x", "::1:80", "[::1]", "[127.0.0.1]:80", "example.org:80",
                           "256.0.0.1:80", "http://127.0.0.1:80"}) {
    EXPECT_FALSE(parse_listen_address(text).ok()) << text;
  }
}

TEST(AccessLine, HasOneLineAndNoSecrets) {
  RequestRecord record{
      "GET", "/v1/jobs", "127.0.0.1", "ab-1", 200, 12, std::chrono::microseconds(1530)};
  EXPECT_EQ(access_line(record), "GET /v1/jobs 200 12 B 1.5 ms 127.0.0.1 ab-1");
  record.path = "/a\n\x1b[31m\\ \xc3\xa9";
  EXPECT_EQ(access_line(record).substr(4, 37), R"(/a\x0a\x1b[31m\x5c\x20\xc3\xa9 200 12)");
  const std::string endless(10'000, 'x');
  record.path = endless;
  EXPECT_LT(access_line(record).size(), 300u);
  record.path = record.method = "";
  EXPECT_EQ(access_line(record).substr(0, 8), "- - 200 ");
}

// Reads the bytes of one connection, cut at every place.

using Stage = RequestReader::Stage;

/// Returns the result of one request as one line.
std::string summary(RequestReader& reader) {
  if (reader.stage() == Stage::kRefused) return std::to_string(reader.refusal().status);
  const HttpRequest& request = reader.request();
  return request.method + ' ' + request.target + " [" + request.body + ']' +
         (reader.stage() == Stage::kDone ? reader.keep_alive() ? "" : " last" : " unfinished");
}

/// Returns all requests of a connection on which `bytes` arrive in pieces of `piece` bytes.
std::vector<std::string> read_all(std::string_view bytes, std::size_t piece,
                                  const RequestLimits& limits = {}) {
  std::vector<std::string> all;
  auto reader = std::make_unique<RequestReader>(limits);
  std::string input;
  while (!bytes.empty() || !input.empty()) {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (;;) {
      const Stage before = reader->stage();
      const std::size_t taken = reader->feed(input);
      input.erase(0, taken);
      EXPECT_LE(reader->body_memory(), 2 * limits.body_bytes + 64);
      if (reader->stage() == Stage::kRefused) {
        all.push_back(summary(*reader));
        return all;
      }
      if (reader->stage() == Stage::kDone) {
        all.push_back(summary(*reader));
        reader = std::make_unique<RequestReader>(limits);
        if (input.empty()) break;
      } else if (reader->stage() == before && taken == 0) {
        break;
      }
    }
    if (bytes.empty()) break;
  }
  if (!input.empty() || reader->stage() == Stage::kBody) all.push_back(summary(*reader));
  return all;
}

/// Expects the same requests for every size of pieces up to `largest`.
void expect_however_cut(const std::string& bytes, const std::vector<std::string>& expected,
                        const RequestLimits& limits = {}, std::size_t largest = SIZE_MAX) {
  for (std::size_t piece = 1; piece <= std::min(bytes.size(), largest); ++piece)
    EXPECT_EQ(read_all(bytes, piece, limits), expected) << piece << " of " << bytes;
}

TEST(RequestReader, DoesNotCareHowBytesAreCut) {
  expect_however_cut(
      "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /"
      "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\n\r\n\r\n0\r\n"
      "Content-Length-Of-It: 5\r\n\r\n"
      "POST /d HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      "GET /e HTTP/1.0\r\n\r\n"
      "POST /f HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nPOST /g HTTP/1.1\r\n\r\n",
      {"GET /a?b []", "POST /b [GET /]", "POST /c [abc\r\n]", "POST /d [] last", "GET /e [] last",
       "400"});
}

TEST(RequestReader, StopsBehindTheHead) {
  RequestReader reader(RequestLimits{});
  const std::string bytes = "POST / HTTP/1.1\r\nA: b\r\nContent-Length: 3\r\n\r\nabcGET";
  const std::size_t head = reader.feed(bytes);
  EXPECT_EQ(head, bytes.size() - 6);
  EXPECT_EQ(reader.stage(), Stage::kBody);
  EXPECT_EQ(reader.request().header("a"), "b");
  EXPECT_EQ(reader.feed(std::string_view(bytes).substr(head)), 3U);
  EXPECT_EQ(reader.stage(), Stage::kDone);
  EXPECT_EQ(reader.request().body, "abc");
  EXPECT_EQ(reader.feed("GET"), 0U);
}

TEST(RequestReader, TakesMemoryForWhatHasCome) {
  RequestReader reader(RequestLimits{});
  reader.feed("POST / HTTP/1.1\r\nContent-Length: 65536\r\n\r\n");
  EXPECT_LT(reader.body_memory(), 64U);
  reader.feed("a");
  EXPECT_LT(reader.body_memory(), 64U);
  reader.feed(std::string(10'000, 'a'));
  EXPECT_LE(reader.body_memory(), 20'064U);
}

// A head that is too long must be refused for every size of pieces.
TEST(RequestReader, LimitsHoldForEveryCut) {
  const RequestLimits limits{.header_bytes = 200, .body_bytes = 100};
  std::string head = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 40; ++i) head += "Abc: defg\r\n";
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string chunks = chunked;
  for (int i = 0; i < 101; ++i) chunks += "1\r\nx\r\n";
  const auto padded = [](std::size_t length) {
    return "GET / HTTP/1.1\r\nA: " + std::string(length, 'a') + "\r\n\r\n";
  };
  ASSERT_EQ(padded(177).size(), 200U);
  const auto expect = [&](const std::string& bytes, const char* summary_of_it) {
    expect_however_cut(bytes, {summary_of_it}, limits, 249);
  };
  expect(head, "431");
  expect(padded(178), "431");
  expect(padded(177), "GET / []");
  expect(chunks, "413");
  expect(chunked + "1;" + std::string(400, 'a'), "400");
  expect(chunked + "0\r\nA: " + std::string(400, 'a'), "400");
  expect("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", "413");
}

TEST(RequestReader, RefusesAtOnceWhatWillNeverBeARequest) {
  for (const char* bytes :
       {"\x16\x03\x01", "GET / HTTP/1.0\n", "\n", "G\xc3", "hello\r\nA:", "{",
        "GET / HTTP/1.1\r\nA: b\r\n c", "GET / HTTP/1.1\r\nTransfer-Encoding:\r\n\tchunked"}) {
    RequestReader reader(RequestLimits{});
    reader.feed(bytes);
    EXPECT_EQ(reader.stage(), Stage::kRefused) << bytes;
    EXPECT_THAT(reader.refusal().body, HasSubstr("invalid HTTP/1.1 request"));
  }
}

// Some intermediaries take a lone '\n' as the end of a line, and the next bytes as the chunk.
TEST(RequestReader, AChunksLineHasNoControlCharacters) {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect_however_cut(head + "1;a=\"b c\"\r\nx\r\n0;d\r\n\r\n", {"POST / [x]"});
  for (const char* line : {"1;a=\"b\nc\"\r\nx", "1;a=\"\x01\"\r\nx", "0;a=\"b\nc\"\r\n"})
    expect_however_cut(head + line + "\r\n0\r\n\r\n", {"400"});
}

// While a quote is open, the parser waits for more bytes. Whenever bytes arrive, it parses the line
// again, so it would count the chunk's size several times.
TEST(RequestReader, QuotesThatAChunksLineLeavesOpenAreRefused) {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string before : {"", "1\r\na\r\n"})
    expect_however_cut(head + before + "f0;a=\"\r\n" + std::string(200, 'x'), {"400"},
                       {.body_bytes = 1000});
}

TEST(RequestReader, TrailersAreNoLongerThanAHead) {
  const RequestLimits limits{.header_bytes = 60};
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::size_t length : {40U, 80U}) {
    expect_however_cut(head + "1\r\na\r\n0\r\nA: " + std::string(length, 'a') + "\r\n\r\n",
                       {length == 40 ? "POST / [a]" : "400"}, limits);
  }
}

// Which of two faults is reported must not depend on the number of bytes that arrived at once.
TEST(RequestReader, LooksNoFurtherThanAHeadMayReach) {
  const RequestLimits limits{.header_bytes = 100};
  expect_however_cut("GET / HTTP/1.1\r\nA: " + std::string(100, 'a') + "\nb", {"431"}, limits);
}

// Trailers must not become headers, because the guard has not checked them.
TEST(RequestReader, TrailersAreForgotten) {
  RequestReader reader(RequestLimits{});
  const std::string bytes =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nAuthorization: "
      "x\r\n\r\n";
  const std::size_t head = reader.feed(bytes);
  EXPECT_EQ(head + reader.feed(std::string_view(bytes).substr(head)), bytes.size());
  EXPECT_EQ(reader.stage(), Stage::kDone);
  EXPECT_EQ(reader.request().header("Authorization"), std::nullopt);
}

class EventHubTest : public testing::Test {
 protected:
  static TopicEvent at(const std::string& state, const std::string& phase = "") {
    const bool last = state == "done";
    const bool progress = !phase.empty();
    return {last ? state : progress ? "progress" : "state", state + phase, progress, last};
  }

  EventHub& hub() {
    if (!hub_) {
      hub_.emplace([this](TopicId id) { return current(id); }, options_, 99);
    }
    return *hub_;
  }
  Result<std::optional<TopicEvent>> current(TopicId id) {
    ++looked_;
    if (broken_) return Error{ErrorCode::kUnavailable, "state", 0, "broken"};
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    const auto found = stored_.find(id);
    return found == stored_.end() ? std::nullopt : std::optional(found->second);
  }
  void state(TopicId id, const std::string& state) { hub().publish(id, at(state)); }
  void progress(TopicId id, const std::string& phase) { hub().publish(id, at("running", phase)); }
  EventHub::Stream open(TopicId id, std::optional<std::uint64_t> last = std::nullopt) {
    return std::get<EventHub::Stream>(hub().open(id, last));
  }
  EventHub::Refusal refusal(TopicId id, std::optional<std::uint64_t> last = std::nullopt) {
    return std::get<EventHub::Refusal>(hub().open(id, last));
  }

  EventHubOptions options_;
  std::map<TopicId, TopicEvent> stored_;
  bool broken_ = false;
  int looked_ = 0;
  std::function<void()> meanwhile_;
  std::optional<EventHub> hub_;
};

TEST_F(EventHubTest, TellsAJobFromItsPresentStateToItsEnd) {
  state(7, "queued");
  state(7, "running");
  EventHub::Stream stream = open(7);
  EXPECT_EQ(stream.next(), "retry: 1000\n\nid: 101\nevent: state\ndata: running\n\n");
  EXPECT_EQ(stream.next(), "");
  progress(7, " 1");
  EXPECT_EQ(stream.next(), "id: 102\nevent: progress\ndata: running 1\n\n");
  EXPECT_FALSE(stream.ended());
  state(7, "done");
  EXPECT_EQ(stream.next(), "id: 103\nevent: done\ndata: done\n\n");
  EXPECT_TRUE(stream.ended());
  EXPECT_EQ(looked_, 0);
}

TEST_F(EventHubTest, AsksForJobsThatHaveBeenSilent) {
  stored_[3] = at("running");
  stored_[4] = at("done");
  EXPECT_THAT(open(3).next(), HasSubstr("event: state\ndata: running\n"));
  EventHub::Stream old = open(4);
  EXPECT_THAT(old.next(), HasSubstr("event: done\n"));
  EXPECT_TRUE(old.ended());
  EXPECT_EQ(refusal(5), EventHub::Refusal::kNoSuchTopic);
  broken_ = true;
  EXPECT_EQ(refusal(6), EventHub::Refusal::kUnavailable);
}

TEST_F(EventHubTest, TakesUpWhereAClientLeft) {
  state(1, "running");  // 100
  for (const char* phase : {" a", " b", " c"}) progress(1, phase);
  EXPECT_THAT(open(1, 101).next(),
              AllOf(HasSubstr("running b"), HasSubstr("running c"), Not(HasSubstr("running a"))));
  EventHub::Stream newest = open(1, 103);
  EXPECT_EQ(newest.next(), "retry: 1000\n\n") << "nothing has happened since";
  state(1, "done");
  EXPECT_THAT(newest.next(), HasSubstr("id: 104\nevent: done"));
  EXPECT_EQ(refusal(1, 104), EventHub::Refusal::kOver);
  EXPECT_THAT(open(1, 103).next(), HasSubstr("event: done"));
}

TEST_F(EventHubTest, GivesThePresentStateForAnIdOfAnotherLifeOrJob) {
  state(1, "running");  // 100
  state(2, "running");  // 101
  for (const std::uint64_t unknown :
       {std::uint64_t{0}, std::uint64_t{101}, std::uint64_t{12345}, UINT64_MAX}) {
    EXPECT_THAT(open(1, unknown).next(), HasSubstr("id: 100\nevent: state\ndata: running\n"));
  }
  state(1, "done");
  EXPECT_THAT(open(1, 5).next(), HasSubstr("event: done")) << "the end is told again";
}

TEST_F(EventHubTest, IdsOfAnotherProcessAreSmaller) {
  const auto first_id = [] {
    EventHub hub([](TopicId) { return std::optional(at("done")); });
    const std::string text = std::get<EventHub::Stream>(hub.open(1, {})).next();
    return std::stoull(text.substr(text.find("id: ") + 4));
  };
  const auto id = first_id();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GT(first_id(), id);
}

TEST_F(EventHubTest, LeavesOutProgressThatWasOvertaken) {
  state(1, "running");
  EventHub::Stream stream = open(1);
  stream.next();
  progress(1, " a");
  progress(1, " b");
  state(1, "queued");
  progress(1, " c");
  progress(1, " d");
  const std::string text = stream.next();
  EXPECT_THAT(text, AllOf(HasSubstr("data: queued"), HasSubstr("running d")));
  EXPECT_THAT(text, Not(HasSubstr("running b")));
  EXPECT_THAT(text, Not(HasSubstr("running c")));
}

TEST_F(EventHubTest, ASlowReaderCostsNoMemoryAndHearsTheEnd) {
  options_.events_per_topic = 4;
  state(1, "running");
  EventHub::Stream stream = open(1);
  for (int i = 0; i < 10'000; ++i) progress(1, " " + std::to_string(i));
  EXPECT_LT(hub().bytes(), 1000u);
  state(1, "done");
  EXPECT_THAT(stream.next(), HasSubstr("event: done"));
  EXPECT_TRUE(stream.ended());
}

TEST_F(EventHubTest, ForgetsTheLongestSilentJobs) {
  options_.bytes = 2000;
  state(1, "running");  // 100
  EventHub::Stream followed = open(1);
  for (TopicId id = 2; id < 200; ++id) {
    state(id, "done");
    EXPECT_LE(hub().bytes(), options_.bytes);
  }
  EXPECT_THAT(followed.next(), HasSubstr("id: 100\n")) << "followed jobs are not forgotten";
  EXPECT_EQ(looked_, 0);
  stored_[2] = at("done");
  EXPECT_THAT(open(2).next(), HasSubstr("event: done"));
  EXPECT_EQ(looked_, 1);
  EXPECT_THAT(open(199).next(), HasSubstr("event: done"));
  EXPECT_EQ(looked_, 1);
}

TEST_F(EventHubTest, KeepsOnlyTheNewestEventOfFollowedJobsWhenThereIsNoRoom) {
  options_.bytes = 300;
  std::vector<EventHub::Stream> streams;
  for (TopicId id = 1; id <= 10; ++id) {
    state(id, "running");
    streams.push_back(open(id));
  }
  for (int i = 0; i < 100; ++i) progress(1 + i % 10, " p");
  EXPECT_LT(hub().bytes(), 10 * 60u);
  for (EventHub::Stream& stream : streams) EXPECT_THAT(stream.next(), HasSubstr("running"));
}

TEST_F(EventHubTest, AnEndBetweenLookingAndOpeningIsNotMissed) {
  options_.bytes = 200;
  stored_[1] = at("running");
  meanwhile_ = [this] {  // the topic ends and is dropped
    stored_[1] = at("done");
    state(1, "done");
    for (TopicId id = 2; id < 20; ++id) state(id, "done");
  };
  EventHub::Stream stream = open(1);
  EXPECT_THAT(stream.next(), HasSubstr("event: done"));
  EXPECT_TRUE(stream.ended());
}

TEST_F(EventHubTest, LimitsOpenStreams) {
  options_.max_streams = 3;
  state(1, "running");
  {
    std::vector<EventHub::Stream> streams;
    for (int i = 0; i < 3; ++i) streams.push_back(open(1));
    EXPECT_EQ(hub().streams(), 3u);
    EXPECT_EQ(refusal(1), EventHub::Refusal::kTooMany);
    streams.pop_back();
    EXPECT_THAT(open(1).next(), HasSubstr("running"));
  }
  EXPECT_EQ(hub().streams(), 0u);
}

TEST_F(EventHubTest, BreaksLinesOfData) {
  hub().publish(1, {"state", "a\r\nb"});
  EXPECT_THAT(open(1).next(), HasSubstr("\ndata: a\ndata: b\n\n"));
}

TEST_F(EventHubTest, CallsTheListenerForFollowedJobsOnly) {
  std::vector<TopicId> called;
  hub().set_listener([&](TopicId id) { called.push_back(id); });
  state(1, "running");
  state(2, "running");
  EXPECT_THAT(called, IsEmpty());
  const EventHub::Stream stream = open(2);
  progress(1, "");
  progress(2, "");
  EXPECT_THAT(called, ElementsAre(2));
  hub().set_listener(nullptr);
  progress(2, "");
  EXPECT_THAT(called, ElementsAre(2));
}

TEST_F(EventHubTest, ReadersAndThePublisherMeet) {
  options_.events_per_topic = 8;
  constexpr int kJobs = 4;
  for (int id = 0; id < kJobs; ++id) state(id, "running");
  std::atomic<int> ended{0};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (int id = 0; id < kJobs; ++id) {
        EventHub::Stream stream = open((id + reader) % kJobs);
        std::uint64_t last = 0;
        while (!stream.ended()) {
          const std::string text = stream.next();
          for (std::size_t at = text.find("id: "); at != std::string::npos;
               at = text.find("id: ", at + 1)) {
            const auto id_read = std::stoull(text.substr(at + 4));
            EXPECT_GT(id_read, last);
            last = id_read;
          }
        }
        ++ended;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) progress(i % kJobs, " x");
  for (int id = 0; id < kJobs; ++id) state(id, "done");
  readers.clear();
  EXPECT_EQ(ended, 4 * kJobs);
}

}  // namespace
}  // namespace manyply
