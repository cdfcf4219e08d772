// Shows a running job's progress on stderr.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "parallel/progress.h"
#include "tools/cli/io.h"
#include "tools/cli/options.h"

namespace manyply {

/// Seconds left, once the past says something about the future: after five seconds and a twentieth
/// of the work. Subtrees differ in size, so less would be a guess.
[[nodiscard]] std::optional<double> seconds_left(const ProgressSnapshot& snapshot,
                                                 double elapsed_seconds);

/// One line for people, and one JSON object for programs; no line end.
[[nodiscard]] std::string progress_text(const ProgressSnapshot& snapshot, double elapsed_seconds);
[[nodiscard]] std::string progress_json(const ProgressSnapshot& snapshot, double elapsed_seconds);

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
