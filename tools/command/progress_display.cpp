#include "tools/command/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tools/question/json_text.h"
#include "tools/question/numbers.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Calls `draw(elapsed seconds)` every `period` until a stop is requested.
template <typename Draw>
void draw_until_stopped(const std::stop_token& stop, milliseconds period, Draw draw) {
  const Clock::time_point start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) {
    draw(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

void draw_line(const std::stop_token& stop, const Progress& progress, Io& io,
               const std::string& label, const ProgressPace& pace) {
  bool drawn = false;
  draw_until_stopped(stop, pace.line, [&](double elapsed) {
    if (elapsed < std::chrono::duration<double>(pace.first_line).count()) return;
    const std::string text = label + progress_text(progress_figures(progress.snapshot(), elapsed));
    io.err << kWipeLine << fitted(text, io.terminal_columns) << std::flush;
    drawn = true;
  });
  if (drawn) io.err << kWipeLine << std::flush;
}

}  // namespace

ProgressFigures progress_figures(const ProgressSnapshot& snapshot, double elapsed_seconds) {
  return {elapsed_seconds,
          std::string(to_string(snapshot.step)),
          snapshot.share_done(),
          snapshot.share_resumed(),
          snapshot.units_done,
          snapshot.units_total,
          snapshot.leaves,
          snapshot.leaves / elapsed_seconds,
          static_cast<double>(snapshot.visited) / elapsed_seconds,
          seconds_left(snapshot, elapsed_seconds)};
}

std::string progress_text(const ProgressFigures& figures) {
  const bool counting = figures.phase == to_string(Step::kCounting);
  std::string text = counting || figures.phase.empty() ? "" : figures.phase + "  ";
  text += figures.fraction ? fmt::format("{:.1f} %", 100 * *figures.fraction)
                           : "share done not yet known";
  if (counting || figures.leaves > 0 || figures.visited_per_second > 0) {
    text += fmt::format("  {} leaves, {}/s  {} visited/s", si(figures.leaves),
                        si(figures.leaves_per_second), si(figures.visited_per_second));
  }
  if (figures.seconds_left) text += "  about " + duration(*figures.seconds_left) + " left";
  return text;
}

std::string progress_json(const ProgressFigures& figures) {
  nlohmann::ordered_json json;
  json["event"] = "progress";
  json["seconds"] = figures.seconds;
  json["phase"] = figures.phase;
  json["fraction"] =
      figures.fraction ? nlohmann::ordered_json(*figures.fraction) : nlohmann::ordered_json();
  json["resumed"] = figures.resumed;
  json["units_done"] = figures.units_done;
  json["units_total"] = figures.units_total;
  json["leaves_per_second"] = rate_json(figures.leaves_per_second);
  json["visited_per_second"] = rate_json(figures.visited_per_second);
  json["seconds_left"] = figures.seconds_left ? nlohmann::ordered_json(*figures.seconds_left)
                                              : nlohmann::ordered_json();
  return json_text(json);
}

std::string fitted(std::string text, int terminal_columns) {
  constexpr int kEchoOfCtrlC = 2;
  const auto room = static_cast<std::size_t>(std::max(1, terminal_columns - 1 - kEchoOfCtrlC));
  if (text.size() <= room) return text;
  const std::size_t end = text.rfind("  ", room);
  text.resize(end == std::string::npos || end == 0 ? room : end);
  return text;
}

ProgressDisplay::ProgressDisplay(const Progress& progress, ProgressMode mode, Io& io,
                                 std::string label, ProgressPace pace) {
  if (mode == ProgressMode::kAuto && io.terminal_columns > 0) {
    thread_ =
        std::jthread([&progress, &io, label = std::move(label), pace](const std::stop_token& stop) {
          draw_line(stop, progress, io, label, pace);
        });
  } else if (mode == ProgressMode::kJson) {
    thread_ = std::jthread([&progress, &io, pace](const std::stop_token& stop) {
      draw_until_stopped(stop, pace.json, [&](double elapsed) {
        io.err << progress_json(progress_figures(progress.snapshot(), elapsed)) + '\n'
               << std::flush;
        if (!io.err && io.readers != nullptr) io.readers->left();
      });
    });
  }
}

}  // namespace manyply
