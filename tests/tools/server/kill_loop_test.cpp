#include "tests/tools/server/kill_loop.h"

#include <sys/wait.h>

#include <stdexcept>

namespace manyply {
namespace {

using std::chrono::milliseconds;

// Runs job_host and talks to it through two pipes.
class ChildHost final : public JobHost {
 public:
  explicit ChildHost(const std::filesystem::path& state) {
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
  ~ChildHost() override {
    kill();
    close(in_);
    close(out_);
  }

  void kill() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }
  void finish() override {
    close(in_);
    in_ = -1;
    wait();
  }

  bool send(const std::string& line) override {
    const std::string text = line + '\n';
    return write(in_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  std::string line() override {
    for (;;) {
      if (const auto end = unread_.find('\n'); end != std::string::npos) {
        std::string line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const ssize_t n = ::read(out_, buffer, sizeof buffer);
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

const StartHost start = [](const std::filesystem::path& state) {
  return std::make_unique<ChildHost>(state);
};

TEST(KillLoop, EightKills) { KillLoop(start, 1, kQuickQuestions, milliseconds(300)).run(8); }

TEST(KillLoop, SlowHundredKills) {
  KillLoop loop(start, 2, std::size(kQuestions), milliseconds(1200));
  loop.run(100);
  EXPECT_GT(loop.resumed(), 0);
  EXPECT_GT(loop.cancelled(), 0);
}

}  // namespace
}  // namespace manyply
