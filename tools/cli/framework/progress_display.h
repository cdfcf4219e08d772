// Shows a running job's progress on stderr.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "parallel/mutex.h"
#include "parallel/progress.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/ticker.h"

namespace manyply {

enum class ProgressMode { kAuto, kNever, kJson };

/// What people and programs are told of a running job.
struct ProgressFigures {
  double seconds = 0;
  std::string phase;               ///< what is done now, "counting" for most of the time
  std::optional<double> fraction;  ///< of this phase, 0 to 1; none while that is not known
  double resumed = 0;  ///< of the work, what an earlier run had done: a part of `fraction`
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;
  double leaves = 0;
  double leaves_per_second = 0;
  double visited_per_second = 0;
  std::optional<double> seconds_left;
};
[[nodiscard]] ProgressFigures progress_figures(const ProgressSnapshot& snapshot,
                                               double elapsed_seconds);

/// One line for people, and one JSON object for programs; no line end.
[[nodiscard]] std::string progress_text(const ProgressFigures& figures);
[[nodiscard]] std::string progress_json(const ProgressFigures& figures);

/// As many parts of `text`, two spaces between them, as a terminal's line shows together with the
/// "^C" that it may add: a line that wraps could not be wiped. What has no room even for the first
/// part has a piece of that.
[[nodiscard]] std::string fitted(std::string text, int terminal_columns);

inline constexpr std::string_view kWipeLine = "\r\x1b[K";  ///< of a terminal

/// How often a running job is shown.
struct ProgressPace {
  std::chrono::milliseconds line{250};
  std::chrono::milliseconds first_line{450};  ///< quick jobs leave the terminal alone
  std::chrono::milliseconds json{500};
};

/// Draws from its construction to its destruction, from a thread of its own that alone writes to
/// io.err meanwhile. kAuto draws one line over and over if io.err is a terminal, and wipes it at
/// the end; kJson writes a line at each step of its pace, and tells io.readers once nobody reads
/// them.
class ProgressDisplay {
 public:
  /// `label` goes before the text. Both references must outlive the display.
  ProgressDisplay(const Progress& progress, ProgressMode mode, Io& io, std::string label,
                  ProgressPace pace = {});
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  std::optional<Ticker> ticker_;
};

/// A line of the terminal behind io.err with a text and the time that has passed, drawn again every
/// 250 ms from 0.45 s on and removed in the end. Draws nothing where io.err is no terminal or
/// `mode` is not kAuto. Functions may be called from any thread.
class ClockedLine {
 public:
  /// `io` must outlive it.
  ClockedLine(ProgressMode mode, Io& io, std::string text, ProgressPace pace = {});
  ~ClockedLine();
  ClockedLine(const ClockedLine&) = delete;
  ClockedLine& operator=(const ClockedLine&) = delete;

  /// Replaces the text.
  void show(std::string text);
  /// Removes the line until the next show(), so that the caller can write to the terminal.
  void wipe();

 private:
  Io& io_;
  Mutex mutex_;                                  // held while the terminal is written to
  std::string text_ MANYPLY_GUARDED_BY(mutex_);  // empty: nothing is shown
  bool drawn_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::optional<Ticker> ticker_;
};

}  // namespace manyply
