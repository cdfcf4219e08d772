#include "tools/client/watching.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tools/client/event_reader.h"
#include "tools/client/job_text.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};       // before a lost server is asked again
constexpr milliseconds kLongestWait{10'000};   // doubling leads here
constexpr std::chrono::minutes kPatience{15};  // then it is given up

/// What a watch shows on stderr meanwhile.
class WatchDisplay {
 public:
  WatchDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}
  ~WatchDisplay() { wipe(); }
  WatchDisplay(const WatchDisplay&) = delete;
  WatchDisplay& operator=(const WatchDisplay&) = delete;

  void show(const Json& job) {
    lost_ = false;
    if (mode_ == ProgressMode::kJson && has_progress(job)) {
      io_.err << progress_json(figures_of(job)) + '\n' << std::flush;
      if (!io_.err && io_.readers != nullptr) io_.readers->left();
    } else {
      draw(fmt::format("job {}  {}", id_of(job),
                       has_progress(job) ? progress_line(job) : state_text(job)));
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
    const bool quick = Clock::now() - start_ < milliseconds(900);  // leaves the terminal alone
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

/// Follows the job until it is final, through lost connections and restarts of the server.
Result<Json> follow(Asker& asker, const std::string& id, ProgressMode mode) {
  Result<Json> first = asker.job(id);  // there is a server, and it knows the job
  if (!first || has_ended(*first)) return first;
  WatchDisplay display(mode, asker.io());
  const std::stop_token& stop = asker.io().stop;
  EventReader reader;
  milliseconds pause = kFirstWait;
  auto heard = Clock::now();
  for (;;) {
    bool over = false;
    ClientRequest request{.path = "/v1/jobs/" + id + "/events",
                          .headers = {{"Accept", "text/event-stream"}}};
    if (!reader.last_id().empty()) request.headers.emplace_back("Last-Event-ID", reader.last_id());
    const auto on_event = [&](const ServerEvent& event) {
      const Json job = read_json(event.data);
      if (!job.is_object() || !is_job(job)) return;
      over = has_ended(job);
      display.show(job);
    };
    const auto response = asker.client().send(request, stop, [&](std::string_view bytes) {
      heard = Clock::now();
      pause = reader.retry().value_or(kFirstWait);
      reader.feed(bytes, on_event);
    });
    reader.reset();
    if (!response && response.error().code == ErrorCode::kCancelled) return response.error();
    const bool busy = response && (response->status == 429 || response->status >= 500);
    if (response && !busy && response->status / 100 != 2) return asker.refusal(*response);
    if (over || (response && response->status == 204)) {
      Result<Json> job = asker.job(id);
      if (!job || has_ended(*job)) return job;
    }
    if (Clock::now() - heard > kPatience) {
      return response ? asker.refusal(*response) : response.error();
    }
    if (!response || busy) display.lost();
    wait(pause, stop);
    pause = std::min(2 * pause, kLongestWait);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
  }
}

}  // namespace

const Flag<JobShowing> kShowDivide{
    flags::kDivide.name, nullptr, flags::kDivide.help,
    [](JobShowing& showing, const std::string&) { return showing.divide = true, accepted(); }};

int show_job(Asker& asker, const Json& job, const JobShowing& showing) {
  Io& io = asker.io();
  const std::string state = text_at(job, "state");
  const std::string id = id_of(job);
  if (state == "failed" || state == "cancelled") {
    if (showing.format == Format::kJson) io.out << json_line(job);
    if (state == "cancelled") {
      io.err << "perft: job " << id << " was cancelled\n";
      return kExitInterrupted;
    }
    const Json error = job.value("error", Json::object());
    return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                     error.is_object() ? plain(text_at(error, "detail")) : "failed"});
  }
  if (state != "done") {
    if (showing.format == Format::kJson) {
      io.out << json_line(job);
    } else if (showing.format == Format::kText) {
      io.out << unfinished_text(job);
    } else {
      return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                       "has no result yet: it is " + state_text(job)});
    }
    return kExitOk;
  }

  if (showing.format == Format::kText) {
    const bool divide = showing.divide || job.value("divide", Json(false)) == Json(true);
    const Result<std::string> text = finished_job_text(job, divide);
    if (!text) return fail(io, text.error());
    io.out << *text;
  } else {
    const char* const format = showing.format == Format::kJson  ? "json"
                               : showing.format == Format::kCsv ? "csv"
                                                                : "stockfish";
    const Result<std::string> text =
        asker.ask({.path = "/v1/jobs/" + id + "/result?format=" + format});
    if (!text) return fail(io, text.error());
    io.out << *text;
  }
  io.out << std::flush;
  const std::string verdict = text_at(job, "verdict");
  if (verdict != "mismatch" && verdict != "differ") return kExitOk;
  io.err << "perft: job " << id
         << (verdict == "differ" ? ": counts with and without a table differ\n"
                                 : ": the total is not the published one\n");
  return kExitMismatch;
}

int watch_job(Asker& asker, const std::string& id, const JobShowing& showing) {
  const Result<Json> job = follow(asker, id, showing.progress);
  if (job) return show_job(asker, *job, showing);
  if (job.error().code != ErrorCode::kCancelled || asker.io().unheard())
    return fail(asker.io(), job.error());
  asker.io().err << "perft: no longer watching; job " << id << " goes on: '"
                 << asker.command("watch", id) << "' comes back to it, '"
                 << asker.command("cancel", id) << "' ends it\n";
  return kExitInterrupted;
}

void wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace manyply
