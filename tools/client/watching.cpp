#include "tools/client/watching.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/stopped_within.h"
#include "tools/client/event_reader.h"
#include "tools/report/answer.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};       // before reconnecting to a lost server
constexpr milliseconds kLongestWait{10'000};   // upper bound of the doubled wait
constexpr std::chrono::minutes kPatience{15};  // after this, watching ends with an error

/// Shows progress on stderr while watching.
class WatchDisplay {
 public:
  WatchDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}
  ~WatchDisplay() { wipe(); }
  WatchDisplay(const WatchDisplay&) = delete;
  WatchDisplay& operator=(const WatchDisplay&) = delete;

  void show(const ToldJob& job) {
    lost_ = false;
    if (mode_ == ProgressMode::kJson && job.has_progress()) {
      io_.err << progress_json(job.figures()) + '\n' << std::flush;
      if (!io_.err && io_.readers != nullptr) io_.readers->left();
    } else {
      draw(fmt::format("job {}  {}", job.id(),
                       job.has_progress() ? job.progress_line() : job.state_text()));
    }
  }
  void lost() {
    draw("connection lost; the job goes on, trying again");
    const bool seen = mode_ == ProgressMode::kNever || io_.terminal_columns > 0;
    if (!lost_ && !seen) io_.err << "perft: connection lost; trying again\n" << std::flush;
    lost_ = true;
  }

 private:
  void draw(const std::string& text) {
    const bool quick = Clock::now() - start_ < milliseconds(900);  // show nothing for quick jobs
    if (mode_ != ProgressMode::kAuto || io_.terminal_columns <= 0 || quick) return;
    io_.err << kWipeLine << fitted(text, io_.terminal_columns) << std::flush;
    drawn_ = true;
  }
  void wipe() {
    if (drawn_) io_.err << kWipeLine << std::flush;
  }

  const ProgressMode mode_;
  Io& io_;
  const Clock::time_point start_ = Clock::now();
  bool drawn_ = false;
  bool lost_ = false;
};

/// Follows the job until its state is final, through lost connections and restarts of the server.
Result<ToldJob> follow(ServerClient& server, const ToldJob& first, ProgressMode mode) {
  if (first.has_ended()) return server.job(first.id());  // now with its report
  WatchDisplay display(mode, server.io());
  const std::stop_token& stop = server.io().stop;
  EventReader reader;
  milliseconds pause = kFirstWait;
  auto heard = Clock::now();
  for (;;) {
    bool over = false;
    ClientRequest request{.path = first.place() + "/events",
                          .headers = {{"Accept", "text/event-stream"}}};
    if (!reader.last_id().empty()) request.headers.emplace_back("Last-Event-ID", reader.last_id());
    const auto on_event = [&](const ServerEvent& event) {
      const auto job = ToldJob::read(event.data);
      if (!job) return;
      over = job->has_ended();
      display.show(*job);
    };
    const auto response = server.http().send(request, stop, [&](std::string_view bytes) {
      heard = Clock::now();
      pause = reader.retry().value_or(kFirstWait);
      reader.feed(bytes, on_event);
    });
    reader.reset();
    if (!response && response.error().code == ErrorCode::kCancelled) return response.error();
    const bool busy = response && (response->status == 429 || response->status >= 500);
    if (response && !busy && response->status / 100 != 2) return server.refusal(*response);
    if (over || (response && response->status == 204)) {
      Result<ToldJob> job = server.job(first.id());
      if (!job || job->has_ended()) return job;
    }
    if (Clock::now() - heard > kPatience) {
      return response ? server.refusal(*response) : response.error();
    }
    if (!response || busy) display.lost();
    stopped_within(pause, stop);
    pause = std::min(2 * pause, kLongestWait);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
  }
}

Result<std::string> result_of(ServerClient& server, const ToldJob& job, std::string_view form) {
  return server.ask({.path = job.place() + "/result?format=" + std::string(form)});
}

}  // namespace

const Flag<JobShowing> kShowDivide{
    flags::kDivide.name, nullptr, flags::kDivide.help,
    [](JobShowing& showing, const std::string&) { return showing.divide = true, accepted(); }};

int show_job(ServerClient& server, const ToldJob& job, const JobShowing& showing) {
  Io& io = server.io();
  const std::string state = job.state();
  const std::string id = job.id();
  if (state == "failed" || state == "cancelled") {
    if (showing.format == Format::kJson) io.out << job.json();
    if (state == "cancelled") {
      io.err << "perft: job " << id << " was cancelled\n";
      return kExitInterrupted;
    }
    return fail(io, {ErrorCode::kUnavailable, "job " + id, 0, job.failure()});
  }
  if (state != "done") {
    if (showing.format == Format::kJson) {
      io.out << job.json();
    } else if (showing.format == Format::kText) {
      io.out << job.unfinished_text();
    } else {
      return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                       "has no result yet: it is " + job.state_text()});
    }
    return kExitOk;
  }

  if (job.is_batch()) return show_batch(server, job, to_string(showing.format));
  if (showing.format == Format::kText) {
    const Result<std::string> text = job.finished_text(showing.divide || job.wants_divide());
    if (!text) return fail(io, text.error());
    io.out << *text;
  } else {
    const Result<std::string> text = result_of(server, job, to_string(showing.format));
    if (!text) return fail(io, text.error());
    io.out << *text;
  }
  io.out << std::flush;
  const std::string verdict = job.verdict();
  if (!is_wrong(verdict)) return kExitOk;
  io.err << "perft: job " << id
         << (verdict == "differ" ? ": counts with and without a table differ\n"
                                 : ": the total is not the published one\n");
  return kExitMismatch;
}

int show_batch(ServerClient& server, const ToldJob& batch, std::string_view form) {
  if (batch.state() != "done") return show_job(server, batch, {});
  const Result<std::string> text = result_of(server, batch, form);
  if (!text) return fail(server.io(), text.error());
  server.io().out << *text << std::flush;
  const std::string verdict = batch.verdict();
  if (verdict == "refused") {
    return fail(server.io(), {ErrorCode::kInvalidInput, "job " + batch.id(), 0,
                              "lines of its suite were refused, all other counts match"});
  }
  return verdict == "mismatch" ? kExitMismatch : kExitOk;
}

int watch_job(ServerClient& server, const ToldJob& job, ProgressMode progress,
              const std::function<int(const ToldJob& ended)>& show) {
  const Result<ToldJob> ended = follow(server, job, progress);
  if (ended) return show(*ended);
  if (ended.error().code != ErrorCode::kCancelled || server.io().unheard())
    return fail(server.io(), ended.error());
  const std::string id = job.id();
  server.io().err << "perft: stopped watching; job " << id << " continues: '"
                  << server.command("watch", id) << "' watches it again, '"
                  << server.command("cancel", id) << "' cancels it\n";
  return kExitInterrupted;
}

int watch_job(ServerClient& server, const ToldJob& job, const JobShowing& showing) {
  return watch_job(server, job, showing.progress,
                   [&](const ToldJob& ended) { return show_job(server, ended, showing); });
}

}  // namespace manyply
