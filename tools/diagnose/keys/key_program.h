// Asks a program for the keys of positions. Sends questions ahead, so that a fast program answers
// thousands of questions a second.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_source.h"
#include "tools/engine/child_process.h"
#include "tools/engine/engine.h"
#include "tools/text/printed_key.h"

namespace manyply {

struct KeyProgramSpec {
  /// A shell command. If it contains {fen}, the command is run once for each position, and {moves}
  /// stands for the moves after the FEN. Otherwise the command starts an engine that speaks UCI.
  std::string command;
  /// The engine's command that prints the key; if empty, the usual commands are tried.
  std::string ask;
  /// Text that occurs in the words beside the printed key. If empty, the key is found without it.
  std::string label;
  double timeout_seconds = 60;  ///< limit for each answer
};

/// A running program as a source of keys. Errors: kUnavailable if the program ends, hangs, prints
/// without end or prints no key; kCancelled after a stop request. After an error, the object is
/// unusable. Not thread-safe.
class KeyProgram : public KeySource {
 public:
  /// Starts the program. Finds the command that prints the key, and the place of the key in the
  /// output. On failure, `errors` receives the program's standard error.
  static Result<std::unique_ptr<KeyProgram>> open(const KeyProgramSpec& spec,
                                                  const std::stop_token& stop, std::string& errors,
                                                  const EnginePatience& patience = {});

  Result<Keys> keys(std::span<const KeyQuestion> questions) override;
  [[nodiscard]] int bits() const override { return reading_.bits; }
  [[nodiscard]] bool plays_moves() const override;

  /// Returns the program's name for itself; its command line if it gives no name.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the command that prints the key; empty if the program is run once per position.
  [[nodiscard]] const std::string& ask() const { return ask_; }
  [[nodiscard]] const KeyReading& reading() const { return reading_; }
  /// Returns whether the program is run once per position. Each run takes milliseconds.
  [[nodiscard]] bool is_run_anew() const { return runs_; }
  /// Returns the end of the program's standard error.
  [[nodiscard]] std::string errors() const;

 private:
  using Lines = std::vector<std::string>;

  KeyProgram(KeyProgramSpec spec, const std::stop_token& stop, const EnginePatience& patience);

  std::optional<Error> greet();
  std::optional<Error> find_key();
  std::optional<Error> start(const std::string& command);
  /// Returns the answers to the questions. Sends up to `at_once` questions before it reads their
  /// answers. Precondition: `at_once` is 1 if the program is run once per position.
  Result<std::vector<Lines>> ask_all(std::span<const KeyQuestion> questions, std::size_t at_once);
  /// Reads one answer. If `asked_ready`, the answer ends with "readyok". Otherwise the answer ends
  /// with the key. Exception: while the place of the key is unknown, silence ends the answer. In
  /// that case, `silence` is the time to wait for the first line.
  Result<Lines> read_answer(bool asked_ready, EnginePatience::Seconds silence);
  Result<Lines> run_once(const KeyQuestion& question);
  Result<std::vector<ShownPosition>> show_samples(std::size_t at_once);
  [[nodiscard]] std::string text_of(const KeyQuestion& question) const;
  [[nodiscard]] Error complaint(const std::string& what) const;
  [[nodiscard]] Error failed(ChildProcess::Read how) const;
  [[nodiscard]] ChildProcess::Clock::time_point after(EnginePatience::Seconds seconds) const;

  const KeyProgramSpec spec_;
  const std::stop_token stop_;
  const EnginePatience patience_;
  const bool runs_;
  std::unique_ptr<ChildProcess> process_;
  std::string name_;
  std::string ask_;
  std::string question_;  ///< the last question, for error messages
  KeyReading reading_;
  bool says_ready_ = false;   ///< the program has answered isready
  bool heard_ = false;        ///< the program has printed a line
  bool found_ = false;        ///< reading_ is known
  std::size_t at_once_ = 1;   ///< number of questions to send before reading an answer
  std::size_t mentions_ = 0;  ///< number of times that each answer contains the key's label
  std::string past_errors_;
};

}  // namespace manyply
