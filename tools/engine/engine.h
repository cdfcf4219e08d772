// Asks another program for perft counts, in the protocol that the program understands. The
// program's answers may be wrong.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/engine/child_process.h"
#include "tools/engine/engine_protocol.h"
#include "tools/text/engine_output_parser.h"

namespace manyply {

/// How long a program must be silent before Engine draws a conclusion. These times are long,
/// because the conclusion must not depend on the speed of the machine. EngineSpec::timeout_seconds
/// also limits each answer.
struct EnginePatience {
  using Seconds = std::chrono::duration<double>;

  /// A program that is silent for this long after kGreeting does not know UCI. This is also the
  /// longest silence after which Engine gives up a way of asking (first way: `learning`).
  Seconds handshake{3};
  /// The longest silence after which Engine gives up the first way of asking. But in every way,
  /// Engine waits longer for an answer to `isready`, because the program may be counting.
  Seconds learning{5};
  /// The shortest silence that ends an answer if nothing else marks its end. After an error message
  /// of the engine, such a silence means that no answer will come.
  Seconds quiet{0.4};
  /// Replaces `quiet` if the answer may be incomplete, for example if a legal move is missing.
  Seconds lacking{5};
};

/// The last output of a program, for error messages.
struct EngineWords {
  static constexpr std::size_t kMostLines = 12;

  std::vector<std::string> printed{};  ///< the last lines of the answer to the last question
  std::string errors{};                ///< the end of standard error, as lines
};

/// An engine. Its functions return kCancelled after a stop request, and kUnavailable if the engine
/// crashes, hangs, prints without end, prints nothing usable, or contradicts itself. After an
/// error, the object is unusable. Not thread-safe.
class Engine : public AskedProgram {
 public:
  /// Starts the engine and finds out its protocol (engine_detection.cpp). On failure, `said`
  /// receives the engine's last output.
  static Result<std::unique_ptr<Engine>> open(const EngineSpec& spec, const std::stop_token& stop,
                                              EngineWords& said,
                                              const EnginePatience& patience = {});

  [[nodiscard]] Dialect dialect() const { return talk_.dialect; }
  /// Returns the text that is sent for each question, such as "go perft {depth}". Returns an empty
  /// text if the engine is started again for each question.
  [[nodiscard]] const std::string& ask_text() const { return talk_.ask; }
  /// Returns the engine's name for itself; the engine's command if it gives no name.
  [[nodiscard]] const std::string& name() const { return talk_.name; }
  [[nodiscard]] bool divides() const override { return talk_.divides; }
  [[nodiscard]] bool plays_moves() const override { return talk_.plays_moves; }
  /// Returns whether Chess960 positions may be asked. Returns false if the engine speaks UCI but
  /// does not offer the option UCI_Chess960.
  [[nodiscard]] bool knows_chess960() const { return talk_.knows_chess960; }

  Result<EngineAnswer> divide(const Line& line, Depth depth) override;
  Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) override;
  [[nodiscard]] std::optional<Error> contradiction(const EngineAnswer& answer) const override;
  [[nodiscard]] int questions() const override { return questions_; }
  [[nodiscard]] const std::optional<Line>& asked_before() const override { return asked_before_; }
  /// Returns the last output of the engine.
  [[nodiscard]] EngineWords words() const;

 private:
  using Clock = ChildProcess::Clock;

  /// A way of asking: a protocol, and the text that is sent for each question.
  struct Way {
    Dialect dialect;
    std::string ask;
  };

  /// An answer that is being read.
  struct Pending {
    EngineOutputParser parser;
    Depth depth;
    bool asked_ready;           ///< a readyok will come, after the answer or among its lines
    bool ready = false;         ///< the readyok has come
    bool heard = false;         ///< a line of the divide, or a total, has come
    bool printed = false;       ///< a line other than `info` lines and echoes has come
    bool echoes = false;        ///< the engine repeats the commands
    bool complains = false;     ///< the engine says that it does not know the command
    bool searches = false;      ///< the engine searches for a best move
    bool behind_total = false;  ///< the last line came after the line with a total
    bool marked = false;        ///< the text that usually ends this engine's answers has come
    bool by_silence = false;    ///< only silence has ended the answer
    int ranks = 0;              ///< number of lines that show a rank of a board
    std::size_t legal = 0;      ///< number of legal moves of the position
    /// The last line without its numbers; empty if the line belongs to the divide.
    std::string last_line{};
    /// The first lines that contain neither rows nor totals. Numbers are removed from these lines.
    std::vector<std::string> other_lines{};
    Clock::time_point last_line_at = Clock::now();
    Clock::duration longest_pause{};
  };

  /// The text that follows the rows and totals of an answer. A member is empty if the text is
  /// unknown.
  struct Ending {
    std::string line{};    ///< the last line without its numbers
    std::string prompt{};  ///< the text after this line, without a line end
  };

  /// The process, and the known properties of the engine.
  struct Talk {
    std::unique_ptr<ChildProcess> process{};
    Dialect dialect = Dialect::kAuto;
    std::string ask{};
    std::string name{};
    std::string question{};             ///< the last question, for error messages
    std::deque<std::string> printed{};  ///< the last lines printed since the last question
    std::string past_errors{};          ///< standard error of earlier processes
    std::optional<Pending> pending{};
    bool divides = true;
    bool plays_moves = true;
    bool takes_fens = true;
    bool knows_chess960 = true;
    bool says_chess960 = false;  ///< current value of the option UCI_Chess960
    bool was_greeted = false;    ///< `uci` and `isready` were sent first
    bool says_uci = false;       ///< the engine has answered `uci`
    bool says_ready = false;     ///< the engine answers `isready`
    bool prints_total = true;
    bool ready_waits = true;   ///< readyok comes after the answer
    Ending ending{};           ///< the text that `last_ending` and the previous ending share
    Ending last_ending{};      ///< end of the last answer that silence ended
    bool end_is_sure = false;  ///< even an answer that lacked moves ended with `ending` or readyok
    /// Whether the engine prints a table for each depth up to the requested one; nullopt if
    /// unknown.
    std::optional<bool> tells_each_depth{};
    bool ends_with_total = false;  ///< the engine prints nothing after a total
    bool heard = false;            ///< this process has printed a line
    bool ended = false;            ///< this process has closed its output
  };

  Engine(EngineSpec spec, const std::stop_token& stop, const EnginePatience& patience);

  std::optional<Error> detect();
  std::optional<Error> detect_ways();
  [[nodiscard]] std::vector<Way> ways() const;
  /// Starts a new process and asks it in the way `way`. If `greets`, sends the UCI greeting first.
  /// Returns an error if the way does not work, for example because the process is silent for
  /// `patience`.
  std::optional<Error> try_way(const Way& way, bool greets, EnginePatience::Seconds patience);
  /// Tries all ways of asking except the first one, and then runs the command as a script (see
  /// try_scripts()). `first` is the result of the first way, and `whole` the time limit for all
  /// ways together. Returns whether a way or the script works.
  bool try_other_ways(const Talk& first, Clock::time_point whole);
  /// Adds advice to the error's message: the flags that may help. `ends_alone` says that the
  /// program ends before it is asked anything.
  [[nodiscard]] Error with_advice(Error error, bool ends_alone) const;
  /// Tries a separate command for divides. If this command works, later questions use it.
  /// Precondition: the engine has printed only totals.
  void look_for_divide();
  std::optional<Error> greet();
  /// Continues to wait for a program that has not yet answered the question.
  std::optional<Error> wait_for_slow();
  std::optional<Error> learn_script();
  /// Starts the program and sends it nothing. Returns whether the program ends within `patience`.
  bool ends_untold(EnginePatience::Seconds patience);
  /// Tries all ways of asking in which the program is run once for each question. `spoke` says
  /// whether the program printed something or ended when it was asked in the first way. If so, each
  /// way gets less time. `whole` is the time limit for all ways together.
  bool try_scripts(bool spoke, Clock::time_point whole);
  bool try_lines();
  bool try_juddperft();
  std::optional<Error> learn_habits(const EngineAnswer& start_divide);
  /// Describes the first answer of a program if this answer contains neither moves nor a total.
  [[nodiscard]] std::string nothing_of_use(const EngineAnswer& answer) const;
  std::optional<Error> learn_whether_it_plays_moves(const EngineAnswer& start_divide);
  std::optional<Error> learn_whether_it_takes_fens(const EngineAnswer& start_divide);

  std::optional<Error> start(const std::string& command, const std::vector<std::string>& arguments);
  Result<EngineAnswer> ask(const Line& line, Depth depth);
  Result<EngineAnswer> ask_in_words(const Line& line, Depth depth);
  Result<EngineAnswer> ask_by_running(const Line& line, Depth depth);
  Result<int> run(const std::string& command, const std::vector<std::string>& arguments,
                  EngineOutputParser* parser);
  /// Reads lines until the pending answer is complete. The engine's earlier answers show how its
  /// answers end. While ways of asking are tried, also returns after a silence that makes an answer
  /// unlikely.
  std::optional<Error> read_answer();
  [[nodiscard]] bool is_complete() const;
  /// Returns whether readyok or the known ending shows that the pending answer has ended.
  [[nodiscard]] bool has_end() const;
  /// An engine may print one table for each depth. Returns whether the lines of the pending answer
  /// so far may be only the table of depth 1. Tables of greater depths may follow then.
  [[nodiscard]] bool may_be_depth_one() const;
  /// Returns whether the last table of the pending answer is the table of the requested depth.
  [[nodiscard]] bool is_last_table() const;
  /// Returns the length of the silence that ends the pending answer. Returns nullopt if silence
  /// cannot end the answer.
  [[nodiscard]] std::optional<EnginePatience::Seconds> telling_silence() const;
  /// Called after silence has ended the pending answer. Learns how this engine's answers end, so
  /// that later answers need no silence.
  void learn_from_silence();
  /// Takes a line of the pending answer. Returns an error if the line shows that no answer will
  /// come.
  std::optional<Error> take_line(const std::string& line);
  void take_ready();
  /// Returns whether the line answers `isready`. Such a line is readyok, an echo, or an error
  /// about `isready`.
  [[nodiscard]] bool is_ready_mark(std::string_view line) const;
  /// Returns whether the line repeats a line of the question.
  [[nodiscard]] bool is_echo(std::string_view line) const;
  /// Runs the command with the expected count `value` as an argument. Returns the exit code of the
  /// command.
  Result<int> run_check(const std::string& fen, Depth depth, NodeCount value);

  /// Returns the error for a read that failed.
  [[nodiscard]] Error failed(ChildProcess::Read how);
  [[nodiscard]] Error searches() const;
  ChildProcess::Read next_line(std::string& line, Clock::time_point until);
  [[nodiscard]] Error complaint(const std::string& what) const;
  [[nodiscard]] Clock::time_point after(EnginePatience::Seconds seconds) const;
  [[nodiscard]] Clock::time_point deadline() const;
  /// Returns `line` in the form that this engine takes: with moves, or as a FEN.
  [[nodiscard]] Line told(const Line& line) const;

  const EnginePatience patience_;
  EngineSpec spec_;
  std::stop_token stop_;
  Talk talk_;
  bool answers_isready_ = false;  ///< the engine answers `isready` by an echo or an error message
  bool learning_ = false;         ///< the first question of a process is being asked
  /// Set while a way of asking is tried. A silence of this length means that the way is wrong.
  std::optional<EnginePatience::Seconds> trying_{};
  /// Set while ways of asking are tried: the time limit for all ways together.
  std::optional<Clock::time_point> limit_;
  int questions_ = 0;
  std::optional<Line> asked_{};         ///< the position of the last question
  std::optional<Line> asked_before_{};  ///< the position of the question before that
};

}  // namespace manyply
