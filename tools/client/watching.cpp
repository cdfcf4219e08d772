#include "tools/client/watching.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/client/event_reader.h"
#include "tools/client/job_text.h"
#include "tools/question/answer.h"
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
Result<Json> follow(Asker& asker, const Json& first, ProgressMode mode) {
  if (has_ended(first)) return asker.job(id_of(first));  // with its report
  WatchDisplay display(mode, asker.io());
  const std::stop_token& stop = asker.io().stop;
  EventReader reader;
  milliseconds pause = kFirstWait;
  auto heard = Clock::now();
  for (;;) {
    bool over = false;
    ClientRequest request{.path = place_of(first) + "/events",
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
      Result<Json> job = asker.job(id_of(first));
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

Result<std::string> result_of(Asker& asker, const Json& job, std::string_view form) {
  return asker.ask({.path = place_of(job) + "/result?format=" + std::string(form)});
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

  if (is_batch(job)) return show_batch(asker, job, to_string(showing.format));
  if (showing.format == Format::kText) {
    const bool divide = showing.divide || job.value("divide", Json(false)) == Json(true);
    const Result<std::string> text = finished_job_text(job, divide);
    if (!text) return fail(io, text.error());
    io.out << *text;
  } else {
    const Result<std::string> text = result_of(asker, job, to_string(showing.format));
    if (!text) return fail(io, text.error());
    io.out << *text;
  }
  io.out << std::flush;
  const std::string verdict = text_at(job, "verdict");
  if (!is_wrong(verdict)) return kExitOk;
  io.err << "perft: job " << id
         << (verdict == "differ" ? ": counts with and without a table differ\n"
                                 : ": the total is not the published one\n");
  return kExitMismatch;
}

int show_batch(Asker& asker, const Json& batch, std::string_view form) {
  if (text_at(batch, "state") != "done") return show_job(asker, batch, {});
  const Result<std::string> text = result_of(asker, batch, form);
  if (!text) return fail(asker.io(), text.error());
  asker.io().out << *text << std::flush;
  const std::string verdict = text_at(batch, "verdict");
  if (verdict == "refused") {
    return fail(asker.io(), {ErrorCode::kInvalidInput, "job " + id_of(batch), 0,
                             "lines of its suite were refused, all other counts match"});
  }
  return verdict == "mismatch" ? kExitMismatch : kExitOk;
}

int watch_job(Asker& asker, const Json& job, ProgressMode progress,
              const std::function<int(const Json& ended)>& show) {
  const Result<Json> ended = follow(asker, job, progress);
  if (ended) return show(*ended);
  if (ended.error().code != ErrorCode::kCancelled || asker.io().unheard())
    return fail(asker.io(), ended.error());
  const std::string id = id_of(job);
  asker.io().err << "perft: no longer watching; job " << id << " goes on: '"
                 << asker.command("watch", id) << "' comes back to it, '"
                 << asker.command("cancel", id) << "' ends it\n";
  return kExitInterrupted;
}

int watch_job(Asker& asker, const Json& job, const JobShowing& showing) {
  return watch_job(asker, job, showing.progress,
                   [&](const Json& ended) { return show_job(asker, ended, showing); });
}

}  // namespace manyply
