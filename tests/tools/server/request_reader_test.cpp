// Reads the bytes of one connection, cut at every place.
#include "tools/server/http/request_reader.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace manyply {
namespace {

using testing::HasSubstr;
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

/// For every size of pieces up to `largest`.
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

// The parser waits for a closing quote, and counts the chunk's size again each time.
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

// A trailer is not a header, because the guard has not checked it.
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

}  // namespace
}  // namespace manyply
