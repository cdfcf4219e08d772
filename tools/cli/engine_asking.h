// What the commands that ask an engine share: how they are told which one, and what they say of it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/flags.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/engine/engine.h"

namespace manyply {

struct Asking {
  EngineSpec engine;
  std::vector<std::string> given;  ///< flags of kAsking, and --engine or --run

  [[nodiscard]] bool was_given(std::string_view flag) const {
    return std::ranges::count(given, flag) != 0;
  }
};
extern const Flag<Asking> kEngine;
extern const std::array<Flag<Asking>, 4> kAsking;  ///< --run, --ask, --dialect, --timeout

/// What contradicts the rest, or goes with an engine where none is asked.
[[nodiscard]] std::optional<Error> contradiction_in(const Asking& asking);

/// The help of a depth of which divides are compared, and why one is none of these.
inline constexpr const char* kPliesOfDivide = "number of plies, 1 to 64";
[[nodiscard]] std::optional<Error> no_divide(Depth depth);

/// When to stop asking; no limit where there is none.
struct Budget {
  std::optional<NodeCount> nodes;                        ///< of all answers together
  std::optional<std::chrono::duration<double>> seconds;  ///< no question is begun after that
};
/// "90s", "10min", "1h": seconds. Else a number of `what`.
Result<Budget> parse_budget(const std::string& text, std::string_view what);

/// Shows the question that the engine is asked: on a line of the terminal, or as JSON lines. Before
/// the first question it shows that the engine starts. Call it from one thread.
class QuestionDisplay {
 public:
  /// `io` must outlive it.
  QuestionDisplay(ProgressMode mode, Io& io)
      : io_(io), mode_(mode), line_(mode, io, "starting the engine") {}

  /// Removes the line until the next question, so that the caller can write to the terminal.
  void wipe() { line_.wipe(); }
  /// Begins a question. A terminal shows `details`, JSON has `event`.
  void operator()(Depth depth, const std::string& details, const nlohmann::ordered_json& event);

 private:
  Io& io_;
  const ProgressMode mode_;
  ClockedLine line_;
  int asked_ = 0;
};

/// Failures in a row that end a suite: an engine that crashes on some positions still says
/// something of the others.
inline constexpr int kMostFailures = 10;

/// Name, dialect, and what the engine cannot do.
[[nodiscard]] std::string engine_text(const EngineSpec& spec, const Engine& engine);
[[nodiscard]] nlohmann::ordered_json engine_json(const EngineSpec& spec, const Engine& engine);

/// On io.err, the last that an engine printed on its standard error; nothing if that is empty.
void show_engine_errors(const std::string& errors, Io& io);
/// The same, and before it what it has answered last: of an engine that was not understood.
void show_engine_words(const EngineWords& words, Io& io);

}  // namespace manyply
