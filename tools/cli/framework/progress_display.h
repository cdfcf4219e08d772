// Shows a running job's progress on stderr.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

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

}  // namespace manyply
