// Kills a process that does jobs, again and again, at moments nobody chose: nothing that it
// acknowledged may be lost, no result may change, every total must be right in the end.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/movegen.h"
#include "parallel/job.h"
#include "tests/tools/server/state_dir.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// A child on two pipes, line by line.
class Host {
 public:
  explicit Host(const std::filesystem::path& state) {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      execl(MANYPLY_JOB_HOST, MANYPLY_JOB_HOST, state.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Host() {
    kill();
    close(in_);
    close(out_);
  }

  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }
  void finish() {
    close(in_);
    in_ = -1;
    wait();
  }

  // False when the child has gone.
  bool send(const std::string& line) {
    const std::string text = line + '\n';
    return write(in_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  // Empty at the end.
  std::string line() {
    for (;;) {
      if (const auto end = unread_.find('\n'); end != std::string::npos) {
        std::string line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const ssize_t n = read(out_, buffer, sizeof buffer);
      if (n <= 0) return {};
      unread_.append(buffer, static_cast<std::size_t>(n));
    }
  }

 private:
  void wait() {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string unread_;
};

struct Question {
  std::string mode;
  int depth;
  std::string fen;
  std::string nodes;  // empty: counted again by this process in the end
};

// From a millisecond to several seconds of one core, published totals.
constexpr std::size_t kLongQuestions = 2;
const Question kQuestions[] = {
    {"hashed", 5, "startpos", "4865609"},
    {"unhashed", 6, "startpos", "119060324"},
    {"unhashed", 7, "startpos", "3195901860"},
    {"hashed", 7, "startpos", "3195901860"},
    {"verify", 5, "startpos", "4865609"},
    {"unhashed", 5, "kiwipete", "193690690"},
    {"unhashed", 6, "kiwipete", "8031647685"},
    {"hashed", 6, "kiwipete", "8031647685"},
    {"unhashed", 7, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "178633661"},
    {"hashed", 8, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "3009794393"},
    {"unhashed", 5, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", "89941194"},
    {"hashed", 5, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
     "164075551"},
    // The long ones, last.
    {"hashed", 8, "startpos", "84998978956"},
    {"unhashed", 8, "startpos", "84998978956"},
};

struct Job {
  Question question;
  std::int64_t id = 0;  // once acknowledged
  std::string report;   // once seen
};

class KillLoop {
 public:
  /// Lives of a host are shorter than `longest_life`.
  KillLoop(std::uint64_t seed, std::size_t questions, microseconds longest_life)
      : random_(seed), questions_(questions), longest_life_(longest_life) {}

  [[nodiscard]] int resumed() const { return resumed_; }

  void run(int kills) {
    signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < kills; ++round) {
      Host host(dir_.path());
      const microseconds life(random_() % static_cast<std::uint64_t>(longest_life_.count()));
      std::jthread killer([&host, life] {
        std::this_thread::sleep_for(life);
        host.kill();
      });
      live(host);
      killer.join();
      ++kills_;
    }
    Host host(dir_.path());
    ASSERT_EQ(host.line(), "ready");
    settle(host);
    host.finish();
    std::printf("kills %d, jobs %zu, resumed %d, lost %d, wrong %d\n", kills_, jobs_.size(),
                resumed_, lost_, wrong_);
    EXPECT_EQ(lost_, 0);
    EXPECT_EQ(wrong_, 0);
  }

 private:
  // One with a published total, or a position that has hardly been asked for before.
  Question ask() {
    if (jobs_.size() == 1) return kQuestions[questions_ - 1];  // keeps many lives busy
    if (random_() % 2 == 0) return kQuestions[random_() % questions_];
    Position position = parse_position(random_() % 2 == 0 ? "startpos" : "kiwipete")->position;
    for (int ply = 0; ply < 3; ++ply) {
      const auto moves = legal_moves(position);
      position = position.after_unchecked(moves[random_() % moves.size()]);
    }
    return {random_() % 2 == 0 ? "hashed" : "unhashed", 5, to_fen(position), ""};
  }

  void recount(const Question& question) {
    JobSpec spec;
    spec.root = parse_position(question.fen).value();
    spec.depth = Depth(question.depth);
    if (question.mode == "unhashed") spec.hash.emplace();  // the other way
    const auto report = run_job(spec, {});
    if (report->nodes.to_string() == question.nodes) return;
    ++wrong_;
    ADD_FAILURE() << question.fen << ": " << question.nodes;
  }

  // Until the host has gone: everything acknowledged is looked at, then new jobs come.
  void live(Host& host) {
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
      Job& job = jobs_[key];  // one more from now on
      job.question = ask();
      if (!submit(host, key, job)) return;
    }
    for (;;) {
      for (auto& [key, job] : jobs_) {
        if (!look(host, job)) return;
      }
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  bool submit(Host& host, const std::string& key, Job& job) {
    const Question& question = job.question;
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

  bool look(Host& host, Job& job) {
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

  void settle(Host& host) {
    const Clock::time_point end = Clock::now() + std::chrono::minutes(10);
    for (auto& [key, job] : jobs_) {
      if (job.id == 0) {
        ASSERT_TRUE(submit(host, key, job));
      }
      while (job.report.empty() && Clock::now() < end && !testing::Test::HasFailure()) {
        ASSERT_TRUE(look(host, job));
        std::this_thread::sleep_for(milliseconds(5));
      }
      EXPECT_FALSE(job.report.empty()) << key;
      recount(job.question);
    }
  }

  StateDir dir_;
  std::mt19937_64 random_;
  const std::size_t questions_;
  const microseconds longest_life_;
  std::map<std::string, Job> jobs_;
  std::set<std::pair<std::int64_t, int>> seen_resumed_;
  int kills_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
  int resumed_ = 0;
};

TEST(KillLoop, EightKills) {
  KillLoop(1, std::size(kQuestions) - kLongQuestions, milliseconds(300)).run(8);
}

TEST(KillLoop, SlowHundredKills) {
  KillLoop loop(2, std::size(kQuestions), milliseconds(1200));
  loop.run(100);
  EXPECT_GT(loop.resumed(), 0);
}

}  // namespace
}  // namespace manyply
