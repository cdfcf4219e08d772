// A program that shows the key of a position: asked for thousands a second, and never trusted.
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
  /// For the shell. With {fen} in it, it is run anew for each position, {moves} being those that
  /// were played from there; else it is started once and talked to in UCI.
  std::string command;
  std::string ask;    ///< what it is to be told to show the key; empty: found out
  std::string label;  ///< which of several numbers is the key: a part of the words beside it
  double timeout_seconds = 60;  ///< for each answer
};

/// Errors of its functions: kUnavailable for a program that ends, hangs, prints without end or
/// shows no key; kCancelled after a stop request. After an error it is not to be asked again. One
/// thread.
class KeyProgram : public KeySource {
 public:
  /// Starts it and finds out how it is asked and where the key stands. `errors` gets what it had
  /// printed on standard error if that fails.
  static Result<std::unique_ptr<KeyProgram>> open(const KeyProgramSpec& spec,
                                                  const std::stop_token& stop, std::string& errors,
                                                  const EnginePatience& patience = {});

  Result<Keys> keys(std::span<const KeyQuestion> questions) override;
  [[nodiscard]] int bits() const override { return reading_.bits; }
  [[nodiscard]] bool plays_moves() const override;

  [[nodiscard]] const std::string& name() const { return name_; }  ///< as it says, or the command
  [[nodiscard]] const std::string& ask() const { return ask_; }    ///< empty if it is run anew
  [[nodiscard]] const KeyReading& reading() const { return reading_; }
  /// Whether it is run anew for each position, which takes milliseconds.
  [[nodiscard]] bool is_run_anew() const { return runs_; }
  /// The last that it printed on standard error.
  [[nodiscard]] std::string errors() const;

 private:
  using Lines = std::vector<std::string>;

  KeyProgram(KeyProgramSpec spec, const std::stop_token& stop, const EnginePatience& patience);

  std::optional<Error> greet();
  std::optional<Error> find_key();
  std::optional<Error> start(const std::string& command);
  /// The answers to questions that are sent `at_once` at a time.
  Result<std::vector<Lines>> ask_all(std::span<const KeyQuestion> questions, std::size_t at_once);
  /// Until it is ready again if it was asked, else until it has shown its key, or, before it is
  /// known how, was silent: for `silence` at first.
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
  std::string question_;  ///< the last one, for error messages
  KeyReading reading_;
  bool says_ready_ = false;   ///< once it has said so, for good
  bool heard_ = false;        ///< it has printed a line
  bool found_ = false;        ///< reading_ is known
  std::size_t at_once_ = 1;   ///< questions that it takes before it has answered the first
  std::size_t mentions_ = 0;  ///< of the key's label in each answer
  std::string past_errors_;
};

}  // namespace manyply
