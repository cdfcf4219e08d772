// Code for all commands that ask an engine: flags, limits, and output about the engine.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/progress_display.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/engine/engine.h"

namespace manyply {

/// Flags that the user gave, in order.
struct GivenFlags {
  std::vector<std::string> given;

  /// Returns whether the user gave this flag.
  [[nodiscard]] bool was_given(std::string_view flag) const {
    return std::ranges::count(given, flag) != 0;
  }
};

/// The engine to ask. If the user gave --engine or a flag of kAsking, `given` contains this flag.
struct Asking : GivenFlags {
  EngineSpec engine;
};
extern const Flag<Asking> kEngine;
extern const std::array<Flag<Asking>, 4> kAsking;  ///< --run, --ask, --dialect, --timeout

/// Returns an error if the flags contradict each other, or if a flag needs an engine but no engine
/// is given.
[[nodiscard]] std::optional<Error> contradiction_in(const Asking& asking);

/// Help text of the argument DEPTH for commands that compare divides.
inline constexpr const char* kPliesOfDivide = "number of plies, 1 to 64";
/// Returns an error if `depth` is 0.
[[nodiscard]] std::optional<Error> no_divide(Depth depth);

/// Limits on the questions to an engine; an absent member means no limit.
struct Budget {
  /// Limit on the sum of the engine's correct counts; in `perft zobrist`, on the number of
  /// positions.
  std::optional<NodeCount> nodes;
  std::optional<std::chrono::duration<double>> seconds;  ///< time after which no question starts
};
/// Parses "90s", "10min" or "1h" as a time, and any other text as a number of nodes or positions.
/// `what` is "nodes" or "positions", for the error message.
Result<Budget> parse_budget(const std::string& text, std::string_view what);

/// Shows the question that the engine is answering, as a line on the terminal or as JSON lines.
/// Before the first question, the line on the terminal says that the engine is starting. Use the
/// display from one thread.
class QuestionDisplay {
 public:
  /// `io` must outlive this object.
  QuestionDisplay(ProgressMode mode, Io& io)
      : io_(io), mode_(mode), line_(mode, io, "starting the engine") {}

  /// Removes the line from the terminal, so that the caller can write there. The next question
  /// shows the line again.
  void wipe() { line_.wipe(); }
  /// Shows a new question. A line on the terminal ends with `details`; a JSON line contains the
  /// members of `event`.
  void operator()(Depth depth, const std::string& details, const nlohmann::ordered_json& event);

 private:
  Io& io_;
  const ProgressMode mode_;
  ClockedLine line_;
  int asked_ = 0;
};

/// Starts the engine, and shows that it is starting. If the engine does not start, prints its last
/// words on io.err, except after a cancellation.
Result<std::unique_ptr<Engine>> open_engine(const EngineSpec& spec, ProgressMode mode, Io& io);

/// A suite ends after this number of consecutive failures of the engine. After fewer failures it
/// continues, because an engine that crashes on some positions may answer others.
inline constexpr int kMostFailures = 10;

/// Return the name and dialect of the engine, and what the engine does not support.
[[nodiscard]] std::string engine_text(const EngineSpec& spec, const Engine& engine);
[[nodiscard]] nlohmann::ordered_json engine_json(const EngineSpec& spec, const Engine& engine);

/// Prints the last lines of the engine's standard error to io.err. Prints nothing if there are
/// none.
void show_engine_errors(const std::string& errors, Io& io);
/// Prints the engine's last lines, then the end of its standard error. Omits empty texts.
void show_engine_words(const EngineWords& words, Io& io);

}  // namespace manyply
