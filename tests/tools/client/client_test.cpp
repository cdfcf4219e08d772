// Tests the client: connections, events, and jobs as the server describes them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/stops.h"
#include "tools/client/http_client.h"
#include "tools/client/server_client.h"
#include "tools/report/answer.h"
#include "tools/report/count_format.h"
#include "tools/report/mode_formats.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(HttpClient, TakesAddressesOfServersAndNothingElse) {
  for (const char* server :
       {"http://127.0.0.1:8080", "http://localhost", "https://perft.example/", "http://[::1]:80",
        "https://example.org/perft/", "unix:/run/perft.sock", "unix:perft:1.sock", "unix:/run/p q?",
        "unix:/run/perft.sock:/perft/", "unix:/a:/b:/"}) {
    EXPECT_TRUE(HttpClient::connect(server, std::nullopt).ok()) << server;
  }
  for (const char* server :
       {"", "127.0.0.1:8080", "file:///etc/passwd", "http://", "unix:", "http://a/?b",
        "http://a/#b", "http://me:secret@a", "http://a:99999", "ftp://a", "http://a b",
        "unix::/perft/", "unix:/run/perft.sock:/?b", "unix:/run/perft.sock:/a b"}) {
    const auto client = HttpClient::connect(server, std::nullopt);
    ASSERT_FALSE(client.ok()) << server;
    EXPECT_EQ(client.error().field, "--server");
  }
}

TEST(HttpClient, NoServerIsAnErrorOfOneLine) {
  auto client = HttpClient::connect("http://127.0.0.1:1", std::nullopt).value();
  const auto response = client.send({.path = "/"}, std::stop_token());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().to_string(), HasSubstr("http://127.0.0.1:1: "));
}

TEST(HttpClient, AStopIsObeyedBeforeAnythingElse) {
  auto client = HttpClient::connect("http://127.0.0.1:1", std::nullopt).value();
  EXPECT_EQ(client.send({.path = "/"}, stopped_before()).error().code, ErrorCode::kCancelled);
}

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

using Json = nlohmann::ordered_json;

/// Returns the job that the client reads from the server's text. The report of the job is
/// `document`.
ToldJob job_with(CountMode mode, const std::string& document) {
  const Json job{
      {"id", 1}, {"state", "done"}, {"mode", to_string(mode)}, {"report", Json::parse(document)}};
  return *ToldJob::read(job.dump());
}

/// Returns the text of a job, as the client prints it. Expects that written(), which prints local
/// results, returns the same text for `document`.
std::string text_of(CountMode mode, const std::string& document, bool divide) {
  const auto text = job_with(mode, document).finished_text(divide);
  EXPECT_TRUE(text.ok()) << text.error().to_string();
  EXPECT_EQ(*text, written(mode, Format::kText, document, {.divide = divide}).value());
  return *text;
}

std::string text_of(const Question& asked, bool divide, const CountOptions& count_options = {}) {
  Resources resources{.count_options = count_options};
  resources.count_options.threads = 2;
  const Question question = *validated(asked);
  const auto found = answer(question, resources);
  EXPECT_TRUE(found.ok()) << found.error().to_string();
  return text_of(question.mode, found->document, divide);
}

TEST(FinishedJob, ReadsAsTheSameCountDoesHere) {
  for (const char* fen :
       {"startpos", "kiwipete", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}) {
    for (const int plies : {0, 1, 4, 5}) {
      for (const bool hashed : {false, true}) {
        const std::string text = text_of({.fen = fen, .depth = Depth(plies)}, true,
                                         {.table_bytes = hashed ? std::uint64_t{1} << 20 : 0});
        const NodeCount nodes = *count_nodes(parse_position(fen)->position, Depth(plies));
        EXPECT_THAT(text, HasSubstr("nodes      " + nodes.to_string()));
        const bool has_table = hashed && plies == 5 && nodes != NodeCount(0);
        EXPECT_EQ(text.find("\nhash       ") != std::string::npos, has_table) << text;
      }
    }
  }
}

TEST(JobList, ShowsOfEachJobWhatWasAsked) {
  const std::string page =
      R"({"jobs":[{"id":7,"state":"done","depth":3,"mode":"unique","nodes":"8902","fen":"x","distinct":"5362"}]})";
  EXPECT_THAT(told_list(page, Format::kText).value(), HasSubstr("  5362 distinct  x\n"));
  EXPECT_EQ(told_list(page, Format::kJson), page + '\n');
  for (const char* none : {"", "[]", "{}", R"({"jobs":7})"})
    EXPECT_EQ(told_list(none, Format::kText), std::nullopt) << none;
}

TEST(FinishedJob, TellsOfResumedSubtreesAndMismatches) {
  const Line root = *parse_line("startpos", "", std::nullopt);
  JobSpec spec;
  spec.root = root.named();
  spec.depth = Depth(4);
  Report report = *run_job(spec, {});
  report.seconds = 0.5;
  report.units = 400;
  report.resumed_units = 7;
  report.resumed_leaves = 10'000;
  report.known = KnownVerdict::kMismatch;
  report.nodes = NodeCount(197280);
  const std::string document = count_document(report, root, Depth(4));
  const std::string text = text_of(CountMode::kHashed, document, false);
  EXPECT_THAT(text, HasSubstr("mismatch: 197281 is published"));
  EXPECT_THAT(text, HasSubstr("7 of 400 subtrees, 10.0 k leaves"));
  // The previous version sent only a rate.
  Json older = Json::parse(document);
  older.erase("resumed_leaves");
  EXPECT_EQ(text_of(CountMode::kHashed, older.dump(), false), text);
}

TEST(FinishedJob, ReadsAsTheSameVerificationDoesHere) {
  EXPECT_THAT(text_of({.fen = "kiwipete", .depth = Depth(4), .mode = CountMode::kVerify}, false),
              HasSubstr("verdict    agree\n"));
}

TEST(FinishedJob, ReadsAsTheSameStatisticsDoHere) {
  for (const bool divide : {false, true}) {
    const std::string text =
        text_of({.fen = "kiwipete", .depth = Depth(4), .mode = CountMode::kStatistics}, divide);
    // Values published by the Chess Programming Wiki.
    EXPECT_THAT(text, HasSubstr("\ncaptures             757163  (757,163)\n"));
    EXPECT_THAT(text, HasSubstr("\nmates                43\n"));
    EXPECT_EQ(text.starts_with("move  "), divide);
  }
  const Line root = *parse_line("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", std::nullopt);
  StatisticsReport report = *run_statistics({{.root = root.named(), .depth = Depth(4)}}, {});
  report.units = 4;
  report.resumed_units = 3;
  report.resumed_leaves = 5000;
  EXPECT_THAT(
      text_of(CountMode::kStatistics, statistics_document(report, root, Depth(4)), true),
      HasSubstr("\nresumed              3 of 4 subtrees, 5.00 k leaves, from the checkpoint\n"));
}

TEST(FinishedJob, ReadsAsTheSameEstimateDoesHere) {
  for (const int plies : {3, 6, 20}) {
    const std::string text = text_of(
        {.depth = Depth(plies), .mode = CountMode::kEstimate, .samples = 150, .seed = 7}, false);
    EXPECT_THAT(text, HasSubstr(plies == 3 ? "nodes      8902, exact" : "samples    150, seed 7;"));
  }
}

TEST(FinishedJob, ReadsAsTheSameDistinctPositionsDoHere) {
  CountOptions count_options;
  count_options.table_bytes = std::uint64_t{1} << 20;
  EXPECT_THAT(text_of({.depth = Depth(3), .mode = CountMode::kUnique}, false, count_options),
              HasSubstr("\n    3           5362                     8902     match "));
}

TEST(RunningJob, SaysWhatItDoesAndHowFarThatIs) {
  const auto line = [](const char* phase, const char* share) {
    return ToldJob::read(R"({"id":1,"state":"running","progress":{"phase":")" + std::string(phase) +
                         R"(","share":)" + share + R"(,"seconds":2}})")
        ->progress_line();
  };
  EXPECT_EQ(line("splitting", "null"), "splitting  2 s");
  EXPECT_EQ(line("setting up", "0.25"), "setting up  25.0 %  2 s");
  EXPECT_EQ(line("hashed, setting up", "0.25"), "hashed, setting up  25.0 %  2 s");
  EXPECT_EQ(line("counting", "0.5"), "50.0 %  2 s  0 leaves, 0/s  0 visited/s");
  const auto job = ToldJob::read(R"({"id":1,"state":"running","progress":{"share":null}})");
  EXPECT_EQ(job->figures().fraction, std::nullopt) << "and not 0";
}

TEST(FinishedJob, WhatIsNoneIsRefused) {
  for (const char* text :
       {"{}", R"({"report":{}})", R"({"report":{},"mode":"odd"})",
        R"({"report":{},"mode":"hashed"})", R"({"report":[],"mode":"unhashed"})",
        R"({"report":{"hashed":[]},"mode":"verify"})", R"({"report":{"plies":7},"mode":"unique"})",
        R"({"report":{"estimate":1},"mode":"estimate"})", R"({"report":7,"mode":"stats"})",
        R"({"report":{"captures":"1"},"mode":"stats"})", R"({"mode":"hashed"})",
        R"({"report":{"hashed":7,"depth":"x"},"mode":"verify"})"}) {
    EXPECT_FALSE(ToldJob::read(text)) << "neither id nor state: " << text;
    Json job = Json::parse(text);
    job.update({{"id", 1}, {"state", "done"}});
    EXPECT_FALSE(ToldJob::read(job.dump())->finished_text(false).ok()) << text;
  }
  for (const char* text : {"", "[]", "7"}) EXPECT_FALSE(ToldJob::read(text)) << text;
}

}  // namespace
}  // namespace manyply
