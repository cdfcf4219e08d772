#include "tools/cli/framework/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {

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
  if (figures.fraction) text += fmt::format("{:.1f} %  ", 100 * *figures.fraction);
  text += duration(figures.seconds);
  if (figures.seconds_left) text += ", about " + duration(*figures.seconds_left) + " left";
  if (counting || figures.leaves > 0 || figures.visited_per_second > 0) {
    text += fmt::format("  {} leaves, {}/s  {} visited/s", si(figures.leaves),
                        si(figures.leaves_per_second), si(figures.visited_per_second));
  }
  return text;
}

std::string progress_bar(const ProgressFigures& figures, int terminal_columns) {
  constexpr int kLeast = 80;
  if (!figures.fraction || terminal_columns < kLeast) return "";
  // On a narrow terminal, leave room for the figures.
  const std::size_t cells = terminal_columns < 100 ? 10 : 20;
  const double share = std::clamp(*figures.fraction, 0.0, 1.0);
  const auto done = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string bar = std::string(done, '=') + (done < cells ? ">" : "");
  bar.resize(cells, ' ');
  return '[' + bar + "]  ";
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
  const double first_line = std::chrono::duration<double>(pace.first_line).count();
  if (mode == ProgressMode::kAuto && io.terminal_columns > 0) {
    const auto drawn = std::make_shared<bool>(false);
    const auto draw = [drawn, &progress, &io, label = std::move(label),
                       first_line](double elapsed) {
      if (elapsed < first_line) return;
      const ProgressFigures figures = progress_figures(progress.snapshot(), elapsed);
      const std::string text =
          label + progress_bar(figures, io.terminal_columns) + progress_text(figures);
      io.err << kWipeLine << fitted(text, io.terminal_columns) << std::flush;
      *drawn = true;
    };
    ticker_.emplace(pace.line, draw, [drawn, &io] {
      if (*drawn) io.err << kWipeLine << std::flush;
    });
  } else if (mode == ProgressMode::kJson) {
    ticker_.emplace(pace.json, [&progress, &io](double elapsed) {
      io.err << progress_json(progress_figures(progress.snapshot(), elapsed)) + '\n' << std::flush;
      if (!io.err && io.readers != nullptr) io.readers->left();
    });
  }
}

ClockedLine::ClockedLine(ProgressMode mode, Io& io, std::string text, ProgressPace pace)
    : io_(io), text_(std::move(text)) {
  if (mode != ProgressMode::kAuto || io.terminal_columns <= 0) return;
  const double first_line = std::chrono::duration<double>(pace.first_line).count();
  ticker_.emplace(pace.line, [this, first_line](double elapsed) {
    const MutexLock lock(mutex_);
    if (text_.empty() || elapsed < first_line) return;
    io_.err << kWipeLine << fitted(text_ + "  " + duration(elapsed), io_.terminal_columns)
            << std::flush;
    drawn_ = true;
  });
}

ClockedLine::~ClockedLine() {
  ticker_.reset();
  wipe();
}

void ClockedLine::show(std::string text) {
  const MutexLock lock(mutex_);
  text_ = std::move(text);
}

void ClockedLine::wipe() {
  const MutexLock lock(mutex_);
  if (drawn_) io_.err << kWipeLine << std::flush;
  drawn_ = false;
  text_.clear();
}

}  // namespace manyply
