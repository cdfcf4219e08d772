#include <gmock/gmock.h>

#include <vector>

#include "tools/client/http_client.h"

namespace manyply {
namespace {

using ::testing::ElementsAre;

/// Returns "name|data" of each event that `parts` complete.
std::vector<std::string> events(EventReader& reader, const std::vector<std::string>& parts) {
  std::vector<std::string> seen;
  for (const std::string& part : parts) {
    reader.feed(part,
                [&](const ServerEvent& event) { seen.push_back(event.name + '|' + event.data); });
  }
  return seen;
}

TEST(EventReader, ReadsNamesDataAndComments) {
  EventReader reader;
  EXPECT_THAT(events(reader, {": hello\n\nretry: 250\n\n"
                              "id: 7\nevent: running\ndata: {\"a\":1}\n\n"
                              "data:two\ndata: lines\n\n"
                              "event: nothing\n\n"}),
              ElementsAre("running|{\"a\":1}", "|two\nlines"));
  EXPECT_EQ(reader.last_id(), "7");
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(250));
}

TEST(EventReader, SplitsAnywhereAndTakesAllLineEnds) {
  const std::string text = "id: 1\r\nevent: a\r\ndata: x\r\n\r\nid: 2\revent: b\rdata: y\r\r";
  EventReader whole;
  EXPECT_THAT(events(whole, {text}), ElementsAre("a|x", "b|y"));
  std::vector<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  EventReader single;
  EXPECT_THAT(events(single, bytes), ElementsAre("a|x", "b|y"));
  EXPECT_EQ(single.last_id(), "2");
}

TEST(EventReader, AnEventCutOffByTheEndOfTheConnectionIsNoneAndItsIdIsNotTaken) {
  EventReader reader;
  EXPECT_THAT(events(reader, {"id: 1\ndata: a\n\n", "id: 2\ndata: half"}), ElementsAre("|a"));
  reader.reset();
  EXPECT_EQ(reader.last_id(), "1");
  EXPECT_THAT(events(reader, {"\n\ndata: b\n\n"}), ElementsAre("|b"));
  EXPECT_EQ(reader.last_id(), "1");
}

TEST(EventReader, KeepsNothingOfWhatIsTooLong) {
  EventReader reader;
  const std::string much(EventReader::kMaxBytes - 10, 'x');
  EXPECT_THAT(events(reader, {"data: " + much + '\n', "data: " + much + "\n\n", "data: ok\n\n"}),
              ElementsAre("|ok"));
  EXPECT_THAT(events(reader, {"data: " + much, much, "\n\n", "data: ok\n\n"}), ElementsAre("|ok"));
}

TEST(EventReader, MalformedRetriesAndIdsAreIgnored) {
  EventReader reader;
  events(reader, {"retry: 12x\n\n", "retry: -1\n\n", "retry:\n\n",
                  std::string("id: 4\n\nid: a\0b\n\n", 14), "id\n"});
  EXPECT_EQ(reader.retry(), std::nullopt);
  EXPECT_EQ(reader.last_id(), "4");
}

}  // namespace
}  // namespace manyply
