// Kills a process that does jobs, again and again, at moments nobody chose: nothing that it
// acknowledged may be lost, no result may change, every total must be right in the end.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "core/movegen.h"
#include "parallel/job.h"
#include "parallel/statistics_job.h"
#include "tests/support/budget.h"
#include "tests/tools/server/state_dir.h"

namespace manyply {

/// What is killed: it takes the lines of job_host.cpp, and answers each with one.
class JobHost {
 public:
  virtual ~JobHost() = default;
  virtual bool send(const std::string& line) = 0;  ///< false once it has gone
  virtual std::string line() = 0;                  ///< empty once it has gone; "ready" at first
  virtual void kill() = 0;                         ///< while another thread sends and reads
  virtual void finish() = 0;                       ///< in good order
};

using StartHost = std::function<std::unique_ptr<JobHost>(const std::filesystem::path& state)>;

struct JobToAsk {
  std::string mode;
  int depth;
  std::string fen;
  std::string nodes;  // empty: not published
};

// From a millisecond to several seconds of one core, published totals.
inline const JobToAsk kQuestions[] = {
    {"hashed", 5, "startpos", "4865609"},
    {"verify", 5, "startpos", "4865609"},
    {"stats", 5, "startpos", "4865609"},
    {"unhashed", 6, "startpos", "119060324"},
    {"unhashed", 5, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", "89941194"},
    {"unhashed", 7, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "178633661"},
    {"unhashed", 5, "kiwipete", "193690690"},
    // So many are for slow builds.
    {"unhashed", 7, "startpos", "3195901860"},
    {"hashed", 7, "startpos", "3195901860"},
    {"unhashed", 6, "kiwipete", "8031647685"},
    {"hashed", 6, "kiwipete", "8031647685"},
    {"hashed", 8, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "3009794393"},
    {"stats", 6, "startpos", "119060324"},
    {"stats", 5, "kiwipete", "193690690"},
    {"hashed", 5, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
     "164075551"},
    // So many are for quick tests.
    {"hashed", 8, "startpos", "84998978956"},
    {"unhashed", 8, "startpos", "84998978956"},
};
inline constexpr std::size_t kQuickQuestions = kIsFastBuild ? 15 : 7;

struct AskedJob {
  JobToAsk question;
  bool published = true;  // the question's total; else it is counted again in the end
  std::int64_t id = 0;    // once acknowledged
  std::string report;     // once seen
};

class KillLoop {
 public:
  /// Lives of a host are shorter than `longest_life`.
  KillLoop(StartHost start, std::uint64_t seed, std::size_t questions,
           std::chrono::microseconds longest_life)
      : start_(std::move(start)),
        random_(seed),
        questions_(questions),
        longest_life_(longest_life) {}

  [[nodiscard]] int resumed() const { return resumed_; }

  void run(int kills) {
    signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < kills; ++round) {
      const std::unique_ptr<JobHost> host = start_(dir_.path());
      const std::chrono::microseconds life(random_() %
                                           static_cast<std::uint64_t>(longest_life_.count()));
      std::jthread killer([&host, life] {
        std::this_thread::sleep_for(life);
        host->kill();
      });
      live(*host);
      killer.join();
      ++kills_;
    }
    const std::unique_ptr<JobHost> host = start_(dir_.path());
    ASSERT_EQ(host->line(), "ready");
    settle(*host);
    host->finish();
    std::printf("kills %d, jobs %zu, resumed %d, lost %d, wrong %d\n", kills_, jobs_.size(),
                resumed_, lost_, wrong_);
    EXPECT_EQ(lost_, 0);
    EXPECT_EQ(wrong_, 0);
  }

 private:
  // One with a published total, or a position that has hardly been asked for before.
  JobToAsk ask() {
    if (jobs_.size() == 1) return kQuestions[questions_ - 1];  // keeps many lives busy
    if (random_() % 2 == 0) return kQuestions[random_() % questions_];
    Position position = parse_position(random_() % 2 == 0 ? "startpos" : "kiwipete")->position;
    for (int ply = 0; ply < 3; ++ply) {
      const auto moves = legal_moves(position);
      position = position.after_unchecked(moves[random_() % moves.size()]);
    }
    return {random_() % 2 == 0 ? "hashed" : "unhashed", 5, to_fen(position), ""};
  }

  void recount(const JobToAsk& question) {
    JobSpec spec;
    spec.root = parse_position(question.fen).value();
    spec.depth = Depth(question.depth);
    if (question.mode == "unhashed") spec.hash.emplace();  // the other way
    const auto report = run_job(spec, {});
    if (report->nodes.to_string() == question.nodes) return;
    ++wrong_;
    ADD_FAILURE() << question.fen << ": " << question.nodes;
  }

  void recount_statistics(const AskedJob& job) {
    StatisticsSpec spec;
    spec.root = parse_position(job.question.fen).value();
    spec.depth = Depth(job.question.depth);
    const StatisticTotals totals = run_statistics(spec, {})->totals;
    for (std::size_t i = 0; i < kStatistics; ++i) {
      const std::string member =
          '"' + std::string(kStatisticNames[i]) + "\":\"" + totals.counts[i].to_string() + '"';
      if (job.report.find(member) != std::string::npos) continue;
      ++wrong_;
      ADD_FAILURE() << member << " is not in " << job.report;
    }
  }

  // Until the host has gone: everything acknowledged is looked at, then new jobs come.
  void live(JobHost& host) {
    const std::string first = host.line();
    if (first.empty()) return;
    if (first != "ready") {
      ++lost_;
      ADD_FAILURE() << first;
      return;
    }
    for (auto& [key, job] : jobs_) {
      if (job.id == 0 ? !submit(host, key, job) : !look(host, job)) return;
    }
    for (int i = 0; i < 3; ++i) {
      const std::string key = "key-" + std::to_string(jobs_.size());
      AskedJob& job = jobs_[key];  // one more from now on
      job.question = ask();
      job.published = !job.question.nodes.empty();
      if (!submit(host, key, job)) return;
    }
    for (;;) {
      for (auto& [key, job] : jobs_) {
        if (!look(host, job)) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  bool submit(JobHost& host, const std::string& key, AskedJob& job) {
    const JobToAsk& question = job.question;
    host.send("submit " + key + ' ' + question.mode + ' ' + std::to_string(question.depth) + ' ' +
              question.fen);
    std::istringstream answer(host.line());
    std::string verb;
    if (!(answer >> verb)) return false;
    std::string told;
    answer >> told >> job.id;
    EXPECT_EQ(verb, "ack") << answer.str();
    EXPECT_EQ(told, key);
    return true;
  }

  bool look(JobHost& host, AskedJob& job) {
    host.send("show " + std::to_string(job.id));
    const std::string line = host.line();
    if (line.empty()) return false;
    std::istringstream answer(line);
    std::string verb;
    std::string state;
    std::string nodes;
    std::int64_t id = 0;
    int attempts = 0;
    std::uint64_t resumed = 0;
    answer >> verb >> id >> state >> nodes >> attempts >> resumed >> std::ws;
    if (verb != "job" || id != job.id) {
      ++lost_;
      ADD_FAILURE() << line;
      return true;
    }
    resumed_ += resumed > 0 && seen_resumed_.insert({id, attempts}).second ? 1 : 0;
    std::string report;
    std::getline(answer, report);
    std::string& expected = job.question.nodes;
    if (state == "done" && expected.empty()) expected = nodes;  // checked by recount()
    const bool right =
        state == "done" ? nodes == expected : job.report.empty() && state != "failed";
    if (!right || (!job.report.empty() && job.report != report)) {
      ++wrong_;
      ADD_FAILURE() << line;
    }
    if (state == "done") job.report = report;
    return true;
  }

  void settle(JobHost& host) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    for (auto& [key, job] : jobs_) {
      if (job.id == 0) {
        ASSERT_TRUE(submit(host, key, job));
      }
      ASSERT_TRUE(look(host, job));
      while (job.report.empty() && std::chrono::steady_clock::now() < end &&
             !testing::Test::HasFailure()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ASSERT_TRUE(look(host, job));
      }
      ASSERT_FALSE(job.report.empty()) << key;
      if (!job.published) recount(job.question);
      if (job.question.mode == "stats") recount_statistics(job);
    }
  }

  const StartHost start_;
  StateDir dir_;
  std::mt19937_64 random_;
  const std::size_t questions_;
  const std::chrono::microseconds longest_life_;
  std::map<std::string, AskedJob> jobs_;
  std::set<std::pair<std::int64_t, int>> seen_resumed_;
  int kills_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
  int resumed_ = 0;
};

}  // namespace manyply
