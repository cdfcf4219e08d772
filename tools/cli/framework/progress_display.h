// Shows a running job's progress on stderr. Ticker does the periodic work, on a separate thread
// (plain_ticker.cpp) or on the only thread (wasm_ticker.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "core/base/mutex.h"
#include "parallel/progress.h"
#include "tools/cli/framework/io.h"

namespace manyply {

/// Calls one function periodically, and another one at the end. All calls come from one thread,
/// which need not be the thread that constructed the ticker. After the destructor, there are no
/// more calls.
class Ticker {
 public:
  /// Calls `tick` every `period` with the number of seconds since construction. The destructor
  /// causes one call of `end`, after the last `tick`, and waits for it.
  Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
         std::function<void()> end = {});
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Handles input during a count on a system with only one thread.

/// Lets a function handle input that arrives between construction and destruction. Does nothing on
/// systems where another thread reads the input (plain_ticker.cpp).
class Meanwhile {
 public:
  /// If there is only one thread (wasm_ticker.cpp), stop_requested() calls `hear` about every
  /// 20 ms. A running count often calls stop_requested(). The argument of `hear` says whether input
  /// can be read without blocking.
  explicit Meanwhile(const std::function<void(bool input)>& hear);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class ProgressMode { kAuto, kNever, kJson };

/// The progress of a running job, as shown to users and printed as JSON.
struct ProgressFigures {
  double seconds = 0;
  std::string phase;               ///< current phase, "counting" most of the time
  std::optional<double> fraction;  ///< finished share of this phase, 0 to 1; nullopt if unknown
  double resumed = 0;  ///< share of the counting that an earlier run has finished, 0 to 1
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;
  double leaves = 0;
  double leaves_per_second = 0;
  double visited_per_second = 0;
  std::optional<double> seconds_left;
};
/// Computes rates and remaining time from a snapshot.
[[nodiscard]] ProgressFigures progress_figures(const ProgressSnapshot& snapshot,
                                               double elapsed_seconds);

/// Returns the progress as one line for users, without a line end.
[[nodiscard]] std::string progress_text(const ProgressFigures& figures);
/// Returns a bar of the finished share, "[=====>    ]  ", to print before progress_text(). Empty if
/// the share is unknown, or if the terminal has fewer than 80 columns.
[[nodiscard]] std::string progress_bar(const ProgressFigures& figures, int terminal_columns);
/// Returns the progress as one JSON object for programs, without a line end.
[[nodiscard]] std::string progress_json(const ProgressFigures& figures);

/// Shortens `text` to one line of the terminal, because a wrapped line cannot be erased. Leaves
/// room for the "^C" that the terminal may add. `text` consists of fields separated by two spaces.
/// Removes as many fields at the end as necessary. If even the first field is too long, cuts it.
[[nodiscard]] std::string fitted(std::string text, int terminal_columns);

inline constexpr std::string_view kWipeLine = "\r\x1b[K";  ///< erases a terminal line

/// Intervals at which progress is shown.
struct ProgressPace {
  std::chrono::milliseconds line{250};
  /// Delay before the first line. Quick jobs show nothing.
  std::chrono::milliseconds first_line{450};
  std::chrono::milliseconds json{500};
};

/// Shows progress on a separate thread, from construction to destruction. During that time, no
/// other thread may write to io.err. In mode kAuto, redraws one line if io.err is a terminal, and
/// erases the line at the end. In mode kJson, writes one line per interval, and notifies io.readers
/// when a write fails.
class ProgressDisplay {
 public:
  /// `label` is printed before the text. `progress` and `io` must outlive the display.
  ProgressDisplay(const Progress& progress, ProgressMode mode, Io& io, std::string label,
                  ProgressPace pace = {});
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  std::optional<Ticker> ticker_;
};

/// A line with a text and the elapsed time on the terminal of io.err. It appears after 0.45 s, is
/// redrawn every 250 ms, and is removed at the end. Draws nothing if io.err is not a terminal or
/// `mode` is not kAuto. Thread-safe.
class ClockedLine {
 public:
  /// `io` must outlive this object.
  ClockedLine(ProgressMode mode, Io& io, std::string text, ProgressPace pace = {});
  ~ClockedLine();
  ClockedLine(const ClockedLine&) = delete;
  ClockedLine& operator=(const ClockedLine&) = delete;

  /// Replaces the text.
  void show(std::string text);
  /// Removes the line until the next show(). The caller can then write to the terminal.
  void wipe();

 private:
  Io& io_;
  Mutex mutex_;                                  // held while the terminal is written to
  std::string text_ MANYPLY_GUARDED_BY(mutex_);  // empty if nothing is shown
  bool drawn_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::optional<Ticker> ticker_;
};

}  // namespace manyply
