// Shows a running job's progress on stderr.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include "parallel/progress.h"
#include "tools/cli/io.h"
#include "tools/cli/options.h"

namespace manyply {

/// Seconds left, once the past says something about the future: after five seconds and a twentieth
/// of the work. Subtrees differ in size, so less would be a guess.
[[nodiscard]] std::optional<double> seconds_left(const ProgressSnapshot& snapshot,
                                                 double elapsed_seconds);

/// What people and programs are told of a running job.
struct ProgressFigures {
  double seconds = 0;
  double fraction = 0;  ///< of the work, 0 to 1
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

inline constexpr std::string_view kWipeLine = "\r\x1b[K";  ///< of a terminal

/// Draws from its construction to its destruction, from a thread of its own that alone writes to
/// io.err meanwhile. kAuto draws one line over and over if io.err is a terminal, and wipes it at
/// the end; kJson writes a line twice a second.
class ProgressDisplay {
 public:
  /// `label` goes before the text. Both references must outlive the display.
  ProgressDisplay(const Progress& progress, ProgressMode mode, Io& io, std::string label);

 private:
  std::jthread thread_;
};

}  // namespace manyply
