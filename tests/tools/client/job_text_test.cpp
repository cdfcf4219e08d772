#include "tools/client/job_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/question/estimate_format.h"
#include "tools/question/report_format.h"
#include "tools/question/stats_format.h"
#include "tools/question/verify_format.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// What a server tells of a job whose report is `json`, read back from its text.
Json job_with(const Line& root, Depth depth, const std::string& json) {
  const Json job{{"id", 1},
                 {"state", "done"},
                 {"position", to_fen(root.here(), root.notation())},
                 {"chess960", root.notation() == CastlingNotation::kChess960},
                 {"depth", depth.plies()},
                 {"report", Json::parse(json)}};
  return Json::parse(job.dump());
}

JobSpec spec_of(const Line& root, Depth depth, bool hashed) {
  JobSpec spec;
  spec.root = root.named();
  spec.depth = depth;
  spec.threads = 2;
  if (hashed) spec.hash.emplace().bytes = std::uint64_t{1} << 20;
  return spec;
}

TEST(FinishedJob, ReadsAsTheSameCountDoesHere) {
  for (const char* fen :
       {"startpos", "kiwipete", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}) {
    for (const int plies : {0, 1, 4, 5}) {
      for (const bool hashed : {false, true}) {
        const Line root = *parse_line(fen, "", std::nullopt);
        const Depth depth(plies);
        Report report = *run_job(spec_of(root, depth, hashed), {});
        report.seconds = 0.125;  // a rate that comes out as it went in
        const ReportView view{report, root, depth, true};
        const auto text =
            finished_job_text(job_with(root, depth, format_report(view, Format::kJson)), true);
        ASSERT_TRUE(text.ok()) << text.error().to_string();
        EXPECT_EQ(*text, format_report(view, Format::kText)) << fen << ' ' << plies;
      }
    }
  }
}

TEST(JobList, ShowsOfEachJobWhatWasAsked) {
  const Json job{{"id", 7},         {"state", "done"}, {"depth", 3},        {"mode", "unique"},
                 {"nodes", "8902"}, {"fen", "x"},      {"distinct", "5362"}};
  EXPECT_THAT(list_text(Json::array({job})), HasSubstr("  5362 distinct  x\n"));
}

TEST(FinishedJob, TellsOfResumedSubtreesAndMismatches) {
  const Line root = *parse_line("startpos", "", std::nullopt);
  Report report = *run_job(spec_of(root, Depth(4), false), {});
  report.seconds = 0.5;
  report.units = 400;
  report.resumed_units = 7;
  report.resumed_leaves = 10'000;
  report.known = KnownVerdict::kMismatch;
  report.known_nodes = NodeCount(197281);
  report.nodes = NodeCount(197280);
  const ReportView view{report, root, Depth(4), false};
  const auto text =
      finished_job_text(job_with(root, Depth(4), format_report(view, Format::kJson)), false);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, format_report(view, Format::kText));
  EXPECT_THAT(*text, HasSubstr("mismatch: 197281 is published"));
  EXPECT_THAT(*text, HasSubstr("7 of 400 subtrees, 10.0 k leaves"));
}

TEST(FinishedJob, ReadsAsTheSameVerificationDoesHere) {
  const Line root = *parse_line("kiwipete", "", std::nullopt);
  const JobSpec spec = spec_of(root, Depth(4), true);
  const VerifyReport report = *verify_job(spec, {}, {});
  const auto json = format_verify_report(report, root, Depth(4), Format::kJson);
  const auto text = finished_job_text(job_with(root, Depth(4), json), false);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, format_verify_report(report, root, Depth(4), Format::kText));
  EXPECT_THAT(*text, HasSubstr("verdict    agree\n"));
}

TEST(FinishedJob, ReadsAsTheSameStatisticsDoHere) {
  for (const char* fen : {"startpos", "kiwipete", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}) {
    for (const int plies : {0, 1, 4}) {
      const Line root = *parse_line(fen, "", std::nullopt);
      StatisticsSpec spec{.root = root.named(), .depth = Depth(plies), .threads = 2};
      if (plies == 4) spec.hash = StatisticsHash{.bytes = 1 << 20, .keys = {}};
      StatisticsReport report = *run_statistics(spec, {});
      if (plies == 4) {
        report.resumed_units = 3;
        report.resumed_leaves = 5000;
      }
      for (const bool divide : {false, true}) {
        const StatisticsView view{report, root, spec.depth, divide};
        const auto text = finished_job_text(
            job_with(root, spec.depth, format_statistics(view, Format::kJson)), divide);
        ASSERT_TRUE(text.ok()) << text.error().to_string();
        EXPECT_EQ(*text, format_statistics(view, Format::kText)) << fen << ' ' << plies;
      }
    }
  }
}

TEST(FinishedJob, ReadsAsTheSameEstimateDoesHere) {
  const Line root = *parse_line("startpos", "", std::nullopt);
  for (const int plies : {3, 6, 20}) {
    const EstimateSpec spec{
        .root = root.named(), .depth = Depth(plies), .samples = 150, .seed = 7, .threads = 2};
    const EstimateReport report = *estimate_nodes(spec, {});
    const EstimateView view{report, root, spec.depth, spec.seed};
    const auto text =
        finished_job_text(job_with(root, spec.depth, format_estimate(view, Format::kJson)), false);
    ASSERT_TRUE(text.ok()) << text.error().to_string();
    EXPECT_EQ(*text, format_estimate(view, Format::kText)) << plies;
  }
}

TEST(RunningJob, SaysWhatItDoesAndHowFarThatIs) {
  const auto line = [](const char* phase, const char* share) {
    return progress_line(Json::parse(R"({"id":1,"progress":{"phase":")" + std::string(phase) +
                                     R"(","share":)" + share + R"(,"seconds":2}})"));
  };
  EXPECT_EQ(line("splitting", "null"), "splitting  share done not yet known");
  EXPECT_EQ(line("setting up", "0.25"), "setting up  25.0 %");
  EXPECT_EQ(line("hashed, setting up", "0.25"), "hashed, setting up  25.0 %");
  EXPECT_EQ(line("counting", "0.5"), "50.0 %  0 leaves, 0/s  0 visited/s");
  const Json job = Json::parse(R"({"progress":{"phase":"splitting","share":null}})");
  EXPECT_EQ(figures_of(job).fraction, std::nullopt) << "and not 0";
}

TEST(FinishedJob, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "{}", "[]", R"({"report":{}})", R"({"report":{},"position":"startpos","depth":3})",
        R"({"report":{"hashed":[]}})",
        R"({"report":{"estimate":1},"position":"kiwipete","depth":3})",
        R"({"report":{"captures":"1"},"position":"kiwipete","depth":3})",
        R"({"report":{"hashed":7,"depth":"x"}})",
        R"({"report":[],"position":"kiwipete","depth":3,"chess960":1})"}) {
    EXPECT_FALSE(finished_job_text(Json::parse(text, nullptr, false), false).ok()) << text;
  }
}

}  // namespace
}  // namespace manyply
