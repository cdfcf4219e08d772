// Somebody else's perft: asked in whichever way it understands, and never trusted.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/engine/asked_program.h"
#include "tools/engine/child_process.h"
#include "tools/engine/engine_spec.h"
#include "tools/text/engine_output.h"

namespace manyply {

/// How long silence is waited for before it tells something. What that is must not depend on how
/// fast the machine is; the limit on each answer, EngineSpec::timeout_seconds, ends all of it.
struct EnginePatience {
  using Seconds = std::chrono::duration<double>;

  /// A program that does not know UCI says so by silence of that length; so does one that is asked
  /// in another way than its own, after the first.
  Seconds handshake{3};
  /// An engine that has been asked for the first time, says it is ready and prints nothing of use:
  /// it knows no perft.
  Seconds learning{5};
  /// After its last line an answer counts as complete when nothing else tells: at least so long.
  /// After a line that says that it was not understood, a question does.
  Seconds quiet{0.4};
  /// The same while a legal move has not been listed, and nothing but silence can tell.
  Seconds lacking{5};
};

/// The last that a program wrote.
struct EngineWords {
  static constexpr std::size_t kMostLines = 12;

  std::vector<std::string> printed{};  ///< of the answer to the last question
  std::string errors{};                ///< on standard error: lines
};

/// One engine. Errors of its functions: kUnavailable for an engine that crashes, hangs, prints
/// without end or nothing of use, or contradicts itself; kCancelled after a stop request. After an
/// error it is not to be asked again. One thread.
class Engine : public AskedProgram {
 public:
  /// Starts the engine and finds out how to talk to it (engine_detection.cpp). `said` is what it
  /// had written if that fails.
  static Result<std::unique_ptr<Engine>> open(const EngineSpec& spec, const std::stop_token& stop,
                                              EngineWords& said,
                                              const EnginePatience& patience = {});

  [[nodiscard]] Dialect dialect() const { return talk_.dialect; }
  /// What it is told for each question, if it is talked to: "go perft {depth}".
  [[nodiscard]] const std::string& ask_text() const { return talk_.ask; }
  /// As it says, or the command.
  [[nodiscard]] const std::string& name() const { return talk_.name; }
  [[nodiscard]] bool divides() const override { return talk_.divides; }
  [[nodiscard]] bool plays_moves() const override { return talk_.plays_moves; }
  [[nodiscard]] bool knows_chess960() const { return talk_.knows_chess960; }

  Result<EngineAnswer> divide(const Line& line, Depth depth) override;
  Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) override;
  [[nodiscard]] std::optional<Error> contradiction(const EngineAnswer& answer) const override;
  [[nodiscard]] int questions() const override { return questions_; }
  [[nodiscard]] const std::optional<Line>& asked_before() const override { return asked_before_; }
  [[nodiscard]] EngineWords words() const;

 private:
  using Clock = ChildProcess::Clock;

  /// A way of talking to it that can be tried.
  struct Way {
    Dialect dialect;
    std::string ask;
  };

  /// An answer that is being read.
  struct Pending {
    EngineOutputParser parser;
    Depth depth;
    bool asked_ready;           ///< a readyok will come behind it, or among it
    bool ready = false;         ///< it has come
    bool heard = false;         ///< anything of a divide
    bool printed = false;       ///< anything that is meant for somebody
    bool echoes = false;        ///< repeats what it is told
    bool complains = false;     ///< that it does not know what it was told
    bool searches = false;      ///< shows what it would play
    bool behind_total = false;  ///< the last line stood behind a total
    bool marked = false;        ///< what ends this program's answers has come
    bool by_silence = false;    ///< nothing but silence has ended it
    int ranks = 0;              ///< of boards
    std::size_t legal = 0;      ///< legal moves of the position
    /// The last line, if nothing of a divide stands behind it, and those like it before.
    std::string last_line{};
    std::vector<std::string> other_lines{};
    Clock::time_point last_line_at = Clock::now();
    Clock::duration longest_pause{};
  };

  /// What an answer ends with, besides rows and totals: the last line, its numbers taken out, and
  /// what stands behind it without a line end. Empty where there is none.
  struct Ending {
    std::string line{};
    std::string prompt{};
  };

  /// The process and what was found out about it.
  struct Talk {
    std::unique_ptr<ChildProcess> process{};
    Dialect dialect = Dialect::kAuto;
    std::string ask{};
    std::string name{};
    std::string question{};             ///< the last one, for error messages
    std::deque<std::string> printed{};  ///< since then, the last of it
    std::string past_errors{};          ///< of processes that have ended
    std::optional<Pending> pending{};
    bool divides = true;
    bool plays_moves = true;
    bool takes_fens = true;
    bool knows_chess960 = true;
    bool says_chess960 = false;  ///< the option's present value
    bool says_uci = false;       ///< has answered uci
    bool says_ready = false;     ///< answers isready
    bool prints_total = true;
    bool ready_waits = true;   ///< readyok comes after the answer
    Ending ending{};           ///< of all answers, once two have shown it
    Ending last_ending{};      ///< of the last answer that silence has ended
    bool end_is_sure = false;  ///< nothing followed an end that came early
    /// Whether it prints a table for each depth up to the one that was asked, once that is known.
    std::optional<bool> tells_each_depth{};
    bool ends_with_total = false;  ///< prints nothing behind it
    bool heard = false;            ///< the present process has printed a line
    bool ended = false;            ///< it has closed its output
  };

  Engine(EngineSpec spec, const std::stop_token& stop, const EnginePatience& patience);

  std::optional<Error> detect();
  std::optional<Error> detect_ways();
  [[nodiscard]] std::vector<Way> ways() const;
  /// A process of its own, asked in that way; greeted in UCI before if it `greets`. `patience` is
  /// how long it may be silent.
  std::optional<Error> try_way(const Way& way, bool greets, EnginePatience::Seconds patience);
  /// Those after the first, and then scripts. `first` is what came of that.
  bool try_other_ways(const Talk& first, Clock::time_point whole);
  /// The error, and which flags may help.
  [[nodiscard]] Error with_advice(Error error, bool ends_alone) const;
  /// Of a program that has told totals alone: whether it has another command for divides.
  void look_for_divide();
  std::optional<Error> greet();
  /// Goes on waiting for a program that has been asked and was silent so far.
  std::optional<Error> wait_for_slow();
  std::optional<Error> learn_script();
  /// Whether the program ends although it is told nothing, in at most so many seconds.
  bool ends_untold(EnginePatience::Seconds patience);
  /// Runs it in each of the ways in which scripts are run once for each question.
  bool try_scripts(bool spoke, Clock::time_point whole);
  bool try_lines();
  bool try_juddperft();
  std::optional<Error> learn_habits(const EngineAnswer& start_divide);
  /// Why the answer to the first question of all is none.
  [[nodiscard]] std::string nothing_of_use(const EngineAnswer& answer) const;
  std::optional<Error> learn_whether_it_plays_moves(const EngineAnswer& start_divide);
  std::optional<Error> learn_whether_it_takes_fens(const EngineAnswer& start_divide);

  std::optional<Error> start(const std::string& command, const std::vector<std::string>& arguments);
  Result<EngineAnswer> ask(const Line& line, Depth depth);
  Result<EngineAnswer> ask_in_words(const Line& line, Depth depth);
  Result<EngineAnswer> ask_by_running(const Line& line, Depth depth);
  Result<int> run(const std::string& command, const std::vector<std::string>& arguments,
                  EngineOutputParser* parser);
  /// Reads until the pending answer is complete by this engine's habits, or, while ways are tried,
  /// until it is clear that none comes.
  std::optional<Error> read_answer();
  [[nodiscard]] bool is_complete() const;
  /// Whether the pending answer has ended, as far as readyok or the learnt ending tells.
  [[nodiscard]] bool has_end() const;
  /// Whether what was read of the pending answer may be about depth 1, and a table for each depth
  /// up to the one that was asked may follow.
  [[nodiscard]] bool may_be_depth_one() const;
  /// Whether the table that was read last is that of the depth that was asked.
  [[nodiscard]] bool is_last_table() const;
  /// How long the silence has to be that ends the pending answer; nothing if none does.
  [[nodiscard]] std::optional<EnginePatience::Seconds> telling_silence() const;
  /// Silence has ended the pending answer: what that says of the program's answers.
  void learn_from_silence();
  /// A line of the pending answer; an error if it says that there will be none.
  std::optional<Error> take_line(const std::string& line);
  void take_ready();
  /// Whether the line answers isready, be it that the program does not know that word.
  [[nodiscard]] bool is_ready_mark(std::string_view line) const;
  /// Whether the line is one of the question, repeated.
  [[nodiscard]] bool is_echo(std::string_view line) const;
  /// The exit code of a run by arguments alone.
  Result<int> run_check(const std::string& fen, Depth depth, NodeCount value);

  [[nodiscard]] Error failed(ChildProcess::Read how);
  [[nodiscard]] Error searches() const;
  ChildProcess::Read next_line(std::string& line, Clock::time_point until);
  [[nodiscard]] Error complaint(const std::string& what) const;
  [[nodiscard]] Clock::time_point after(EnginePatience::Seconds seconds) const;
  [[nodiscard]] Clock::time_point deadline() const;
  /// The line as this engine can be told: with its moves, or as a FEN.
  [[nodiscard]] Line told(const Line& line) const;

  const EnginePatience patience_;
  EngineSpec spec_;
  std::stop_token stop_;
  Talk talk_;
  bool answers_isready_ = false;  ///< by a complaint or an echo: the program does not know it
  bool learning_ = false;         ///< the first question of all is being asked
  /// And silence of that length means that it is asked in a wrong way.
  std::optional<EnginePatience::Seconds> trying_{};
  /// While ways are tried out: together they take no longer than one answer may.
  std::optional<Clock::time_point> limit_;
  int questions_ = 0;
  std::optional<Line> asked_{};         ///< the last question's
  std::optional<Line> asked_before_{};  ///< and the one's before
};

}  // namespace manyply
