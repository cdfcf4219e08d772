// Somebody else's perft: asked in whichever way it understands, and never trusted.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/bisect/asked_program.h"
#include "tools/bisect/child_process.h"
#include "tools/bisect/engine_output.h"
#include "tools/bisect/engine_spec.h"

namespace manyply {

/// How long silence is waited for before it tells something. What that is must not depend on how
/// fast the machine is; the limit on each answer, EngineSpec::timeout_seconds, ends all of it.
struct EnginePatience {
  using Seconds = std::chrono::duration<double>;

  /// A program that does not know UCI says so by silence of that length.
  Seconds handshake{3};
  /// An engine that has been asked for the first time, says it is ready and prints nothing of use:
  /// it knows no perft.
  Seconds learning{5};
  /// After its last line an answer counts as complete when nothing else tells: at least so long.
  Seconds quiet{0.4};
};

/// One engine. Errors of its functions: kUnavailable for an engine that crashes, hangs, prints
/// without end or nothing of use, or contradicts itself; kCancelled after a stop request. After an
/// error it is not to be asked again. One thread.
class Engine : public AskedProgram {
 public:
  /// Starts the engine and finds out how to talk to it. `errors` gets what it had printed on
  /// standard error if that fails.
  static Result<std::unique_ptr<Engine>> open(const EngineSpec& spec, const std::stop_token& stop,
                                              std::string& errors,
                                              const EnginePatience& patience = {});

  [[nodiscard]] Dialect dialect() const { return dialect_; }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< as it says, or the command
  [[nodiscard]] bool divides() const override { return divides_; }
  [[nodiscard]] bool plays_moves() const override { return plays_moves_; }
  [[nodiscard]] bool knows_chess960() const { return knows_chess960_; }

  Result<EngineAnswer> divide(const Line& line, Depth depth) override;
  Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) override;
  [[nodiscard]] std::optional<Error> contradiction(const EngineAnswer& answer) const override;
  [[nodiscard]] int questions() const override { return questions_; }
  [[nodiscard]] const std::optional<Line>& asked_before() const override { return asked_before_; }
  /// The last that it printed on standard error.
  [[nodiscard]] std::string errors() const;

 private:
  Engine(EngineSpec spec, const std::stop_token& stop, const EnginePatience& patience);

  std::optional<Error> detect();
  std::optional<Error> detect_uci();
  /// Goes on waiting for a program that has been asked and was silent so far.
  std::optional<Error> wait_for_slow();
  bool try_lines();
  bool try_juddperft();
  std::optional<Error> learn_habits(const EngineAnswer& start_divide);

  std::optional<Error> start(const std::vector<std::string>& arguments);
  Result<EngineAnswer> ask(const Line& line, Depth depth);
  Result<EngineAnswer> ask_uci(const Line& line, Depth depth);
  Result<EngineAnswer> ask_lines(const Line& line, Depth depth);
  /// Reads until the answer is complete by this engine's habits.
  std::optional<Error> read_answer(EngineOutputParser& parser);
  /// The exit code of a run by arguments alone.
  Result<int> run_check(const std::string& fen, Depth depth, NodeCount value);

  [[nodiscard]] Error failed(ChildProcess::Read how);
  ChildProcess::Read next_line(std::string& line, ChildProcess::Clock::time_point until);
  [[nodiscard]] Error complaint(const std::string& what) const;
  [[nodiscard]] ChildProcess::Clock::time_point deadline() const;
  /// The line as this engine can be told: with its moves, or as a FEN.
  [[nodiscard]] Line told(const Line& line) const;

  const EnginePatience patience_;
  EngineSpec spec_;
  std::stop_token stop_;
  std::unique_ptr<ChildProcess> process_;
  Dialect dialect_ = Dialect::kAuto;
  std::string name_;
  std::string question_;     ///< the last one, for error messages
  std::string past_errors_;  ///< of processes that have ended
  std::string last_line_;    ///< of the last answer, understood or not
  bool divides_ = true;
  bool plays_moves_ = true;
  bool knows_chess960_ = true;
  bool says_chess960_ = false;  ///< the option's present value
  bool says_uci_ = false;       ///< has answered uci
  bool says_ready_ = false;     ///< answers isready
  bool prints_total_ = true;
  bool ready_waits_ = true;  ///< readyok comes after the answer
  bool learning_ = false;    ///< the first question of all is being asked
  bool hasty_ = false;       ///< and silence may mean that it is asked in a wrong dialect
  bool heard_ = false;       ///< the present process has printed a line
  bool ended_ = false;       ///< the present process has closed its output
  /// While dialects are tried out: together they take no longer than one answer may.
  std::optional<ChildProcess::Clock::time_point> limit_;
  int questions_ = 0;
  std::optional<Line> asked_{};         ///< the last question's
  std::optional<Line> asked_before_{};  ///< and the one's before
};

}  // namespace manyply
