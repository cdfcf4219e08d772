// Again and again, at random times, kills a process that runs jobs. No acknowledged job may be
// lost, removed jobs must stay removed, cancelled jobs must stay cancelled, and no result may
// change. At the end, every total must be right.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/counting.h"
#include "core/position.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "tests/support/budget.h"
#include "tests/tools/server/state_dir.h"

namespace manyply {

/// The process that is killed. It reads the lines of job_host.cpp and answers each with one line.
class JobHost {
 public:
  virtual ~JobHost() = default;
  virtual bool send(const std::string& line) = 0;  ///< returns false if the process has ended
  virtual std::string line() = 0;                  ///< empty if it has ended; at first "ready"
  virtual void kill() = 0;                         ///< another thread may send and read meanwhile
  virtual void arm() {}  ///< kills the process at its next durable change, if supported
  /// Returns how many jobs have entered the short lane of the process; nullopt if it has no short
  /// lane or has ended.
  virtual std::optional<int> short_jobs() { return std::nullopt; }
  virtual void finish() = 0;  ///< shuts down normally
};

using StartHost = std::function<std::unique_ptr<JobHost>(const std::filesystem::path& state)>;

struct JobToAsk {
  std::string mode;   // a mode, or "batch"
  int depth;          // depth; unused for a batch
  std::string fen;    // FEN; for a batch, a line of EPD
  std::string nodes;  // published total, empty if none; for a batch, the sum of its counts
};

// Published totals that take from a millisecond to several seconds on one core.
inline const JobToAsk kQuestions[] = {
    {"hashed", 5, "startpos", "4865609"},
    {"verify", 5, "startpos", "4865609"},
    {"stats", 5, "startpos", "4865609"},
    {"batch", 0, "startpos ;D3 8902 ;D4 197281 ;D5 4865609 ;D6 119060324", "124132116"},
    {"unhashed", 6, "startpos", "119060324"},
    {"unhashed", 5, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", "89941194"},
    {"unhashed", 7, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "178633661"},
    {"unhashed", 5, "kiwipete", "193690690"},
    // The questions up to here are for slow builds.
    {"unhashed", 7, "startpos", "3195901860"},
    {"hashed", 7, "startpos", "3195901860"},
    {"unhashed", 6, "kiwipete", "8031647685"},
    {"hashed", 6, "kiwipete", "8031647685"},
    {"hashed", 8, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "3009794393"},
    {"stats", 6, "startpos", "119060324"},
    {"stats", 5, "kiwipete", "193690690"},
    {"hashed", 5, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
     "164075551"},
    // The questions up to here are for quick tests.
    {"hashed", 8, "startpos", "84998978956"},
    {"unhashed", 8, "startpos", "84998978956"},
};
inline constexpr std::size_t kQuickQuestions = kIsFastBuild ? 16 : 8;

struct AskedJob {
  enum class Stay : std::uint8_t { kHere, kLeaving, kGone };  // removal requested; acknowledged

  JobToAsk question;
  bool published = true;  // the total is published; otherwise the test counts it at the end
  std::int64_t id = 0;    // set when acknowledged
  bool sent = false;      // sent to some process
  std::string report;     // set when seen
  Stay stay = Stay::kHere;
  bool to_be_cancelled = false;  // cancellation requested
  bool cancelled = false;        // cancellation acknowledged or seen

  [[nodiscard]] bool open() const { return report.empty() && !cancelled; }
};

class KillLoop {
 public:
  /// Each process lives for at most `longest_life`. For most of them, this time begins when they
  /// are ready, so that they do some work even if starting takes long.
  KillLoop(StartHost start, std::uint64_t seed, std::size_t questions,
           std::chrono::microseconds longest_life)
      : start_(std::move(start)),
        random_(seed),
        questions_(questions),
        longest_life_(longest_life) {}

  [[nodiscard]] int resumed() const { return resumed_; }
  [[nodiscard]] int removed() const { return removed_; }
  [[nodiscard]] int cancelled() const { return cancelled_; }
  /// Returns the number of requests that a process has carried out durably but not answered.
  [[nodiscard]] int unanswered() const { return unanswered_; }
  /// Returns the number of batches that were acknowledged.
  [[nodiscard]] int batches() const {
    std::set<std::int64_t> ids;
    for (const auto& [key, job] : jobs_) {
      if (job.question.mode == "batch" && job.id != 0) ids.insert(job.id);
    }
    return static_cast<int>(ids.size());
  }
  /// Returns the number of jobs that entered the short lane, as the processes reported it.
  [[nodiscard]] int short_jobs() const { return short_jobs_; }

  void run(int kills) {
    signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < kills; ++round) {
      const std::unique_ptr<JobHost> host = start_(dir_.path());
      const std::chrono::microseconds life(random_() %
                                           static_cast<std::uint64_t>(longest_life_.count()));
      const bool while_starting = random_() % 8 == 0;
      std::string first = while_starting ? "" : host->line();
      std::jthread killer([&host, life](const std::stop_token& gone) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        never.wait_for(lock, gone, life, [] { return false; });
        host->kill();
      });
      if (while_starting) first = host->line();
      live(*host, first);
      killer.request_stop();
      killer.join();
      ++kills_;
    }
    const std::unique_ptr<JobHost> host = start_(dir_.path());
    ASSERT_EQ(host->line(), "ready");
    settle(*host);
    host->finish();
    std::printf(
        "kills %d, requests %zu, batches %d, short %d, removed %d, cancelled %d, resumed %d, done "
        "without an answer %d, lost %d, wrong %d\n",
        kills_, jobs_.size(), batches(), short_jobs_, removed_, cancelled_, resumed_, unanswered_,
        lost_, wrong_);
    EXPECT_EQ(lost_, 0);
    EXPECT_EQ(wrong_, 0);
  }

 private:
  // Returns a question with a published total, or one about a random position, which seldom
  // repeats.
  JobToAsk ask() {
    if (jobs_.size() == 1) return kQuestions[questions_ - 1];  // takes the time of many processes
    if (random_() % 2 == 0) return kQuestions[random_() % questions_];
    Position position = parse_position(random_() % 2 == 0 ? "startpos" : "kiwipete")->position;
    for (int ply = 0; ply < 3; ++ply) {
      const auto moves = legal_moves(position);
      position = position.after_unchecked(moves[random_() % moves.size()]);
    }
    if (random_() % 4 == 0) return ask_batch(position);
    return {random_() % 2 == 0 ? "hashed" : "unhashed", 5, to_fen(position), ""};
  }

  // The expected counts are computed here, on one thread without a table.
  static JobToAsk ask_batch(const Position& position) {
    std::string line = to_fen(position);
    NodeCount sum;
    for (int depth = 2; depth <= 5; ++depth) {
      const NodeCount nodes = count_nodes(position, Depth(depth)).value();
      line += " ;D" + std::to_string(depth) + ' ' + nodes.to_string();
      sum += nodes;
    }
    return {"batch", 0, line, sum.to_string()};
  }

  void recount(const JobToAsk& question) {
    JobSpec spec;
    spec.root = parse_position(question.fen).value();
    spec.depth = Depth(question.depth);
    if (question.mode == "unhashed") spec.hash.emplace();  // count with the other method
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

  // Sends requests until the process has ended: first checks everything that was acknowledged, then
  // submits new jobs. `first` is the first line of the process.
  void live(JobHost& host, const std::string& first) {
    if (first.empty()) return;
    if (first != "ready") {
      ++lost_;
      ADD_FAILURE() << first;
      return;
    }
    for (auto& [key, job] : jobs_) {
      if (may_be_left_out(job)) continue;
      if (job.id == 0 ? !submit(host, key, job) : !look(host, job)) return;
    }
    constexpr int kManyMore = 30;
    const auto open =
        std::ranges::count_if(jobs_, [](const auto& entry) { return entry.second.open(); });
    for (int i = 0; i < 3 && open < kManyMore; ++i) {
      const std::string key = "key-" + std::to_string(jobs_.size());
      AskedJob& job = jobs_[key];  // adds a job to the list
      job.question = ask();
      job.published = !job.question.nodes.empty();
      if (!submit(host, key, job)) return;
    }
    for (int short_before = 0;;) {
      if (const auto now = host.short_jobs()) {
        short_jobs_ += *now - std::exchange(short_before, *now);
      }
      for (auto& [key, job] : jobs_) {
        if (job.stay != AskedJob::Stay::kGone && !may_be_left_out(job) && !look(host, job)) return;
      }
      if (!remove_one(host) || !cancel_one(host)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  // There are many ended jobs, and they do not change, so each process checks only some of them,
  // and the last one checks all.
  bool may_be_left_out(const AskedJob& job) {
    const bool ended = !job.open() && job.stay != AskedJob::Stay::kLeaving;
    return (ended || job.stay == AskedJob::Stay::kGone) && random_() % 8 != 0;
  }

  // From time to time, removes the oldest of many jobs, or any job.
  bool remove_one(JobHost& host) {
    std::vector<AskedJob*> ended;
    for (auto& [key, job] : jobs_) {
      if (!job.report.empty() && job.stay == AskedJob::Stay::kHere) ended.push_back(&job);
    }
    constexpr std::size_t kFew = 2;  // keep some jobs, so that there is always something to check
    constexpr std::size_t kMany = 30;
    if (ended.size() < kFew || (ended.size() < kMany && random_() % 4 != 0)) return true;
    const std::int64_t id = ended[random_() % ended.size()]->id;
    note_stay(id, AskedJob::Stay::kLeaving);
    arm_at_times(host);
    host.send("remove " + std::to_string(id));
    const std::string answer = host.line();
    if (answer.empty()) return false;
    EXPECT_EQ(answer, "removed " + std::to_string(id));
    note_stay(id, AskedJob::Stay::kGone);
    ++removed_;
    return true;
  }

  // From time to time, cancels any job except the one that takes the time of many processes.
  bool cancel_one(JobHost& host) {
    if (random_() % 8 != 0) return true;
    std::vector<AskedJob*> open;
    for (auto& [key, job] : jobs_) {
      if (job.id > 2 && job.open()) open.push_back(&job);
    }
    if (open.empty()) return true;
    AskedJob& job = *open[random_() % open.size()];
    job.to_be_cancelled = true;
    arm_at_times(host);
    const std::string id = std::to_string(job.id);
    host.send("cancel " + id);
    const std::string answer = host.line();
    if (answer.empty()) return false;
    if (answer == "cancelled " + id + " done") return true;
    EXPECT_EQ(answer, "cancelled " + id + " cancelled");
    job.cancelled = true;
    ++cancelled_;
    return true;
  }

  // Makes some processes die between a commit and the response. Kills at random times rarely hit
  // this short time.
  void arm_at_times(JobHost& host) {
    if (!settling_ && random_() % 2 == 0) host.arm();
  }

  // Several requests may have received the same job.
  void note_stay(std::int64_t id, AskedJob::Stay stay) {
    for (auto& [key, job] : jobs_) {
      if (job.id == id) job.stay = stay;
    }
  }

  bool is_there(JobHost& host, std::int64_t id) {
    host.send("show " + std::to_string(id));
    return host.line().starts_with("job ");
  }

  bool submit(JobHost& host, const std::string& key, AskedJob& job) {
    const JobToAsk& question = job.question;
    unanswered_ += std::exchange(job.sent, true) && is_there(host, newest_ + 1) ? 1 : 0;
    arm_at_times(host);
    host.send("submit " + key + ' ' + question.mode + ' ' + std::to_string(question.depth) + ' ' +
              question.fen);
    std::istringstream answer(host.line());
    std::string verb;
    if (!(answer >> verb)) return false;
    std::string told;
    answer >> told >> job.id;
    EXPECT_EQ(verb, "ack") << answer.str();
    EXPECT_EQ(told, key);
    if (job.id > newest_) {
      EXPECT_EQ(job.id, ++newest_) << "one job for one key, however often it is sent";
    } else {  // this job has already answered the same question
      const auto first = std::ranges::find_if(jobs_, [&](const auto& entry) {
        return &entry.second != &job && entry.second.id == job.id;
      });
      EXPECT_TRUE(first != jobs_.end() && first->second.question.fen == question.fen &&
                  first->second.question.depth == question.depth)
          << key << ' ' << job.id;
    }
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
    if (job.stay == AskedJob::Stay::kLeaving) {  // killed before it could acknowledge the removal
      const bool gone = verb == "lost";
      note_stay(job.id, gone ? AskedJob::Stay::kGone : AskedJob::Stay::kHere);
      unanswered_ += gone ? 1 : 0;
      removed_ += gone ? 1 : 0;
    }
    if (job.stay == AskedJob::Stay::kGone) {
      wrong_ += verb == "lost" ? 0 : 1;
      EXPECT_EQ(verb, "lost") << "was removed: " << line;
      return true;
    }
    if (verb != "job" || id != job.id) {
      ++lost_;
      ADD_FAILURE() << line;
      return true;
    }
    if (state == "cancelled" && job.to_be_cancelled && !std::exchange(job.cancelled, true)) {
      ++cancelled_;  // the process was killed before it could acknowledge the cancellation
      ++unanswered_;
    }
    if (job.cancelled) {
      wrong_ += state == "cancelled" ? 0 : 1;
      EXPECT_EQ(state, "cancelled") << "was told so: " << line;
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
    settling_ = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    for (auto& [key, job] : jobs_) {
      if (job.id == 0) {
        ASSERT_TRUE(submit(host, key, job));
      }
      ASSERT_TRUE(look(host, job));
      while (job.open() && job.stay == AskedJob::Stay::kHere &&
             std::chrono::steady_clock::now() < end && !testing::Test::HasFailure()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ASSERT_TRUE(look(host, job));
      }
      if (job.cancelled) continue;
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
  bool settling_ = false;
  std::int64_t newest_ = 0;  // largest id of all acknowledged jobs
  int kills_ = 0;
  int removed_ = 0;
  int cancelled_ = 0;
  int unanswered_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
  int resumed_ = 0;
  int short_jobs_ = 0;
};

}  // namespace manyply
