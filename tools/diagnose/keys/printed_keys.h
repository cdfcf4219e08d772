// Reads the keys that a program prints: from a running program, or from a pasted list. Finds the
// key among the printed numbers.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"
#include "tools/engine/child_process.h"
#include "tools/engine/engine.h"

namespace manyply {

/// Says where a program's answers contain the key, and how the key is written.
struct KeyReading {
  std::string label;
  std::size_t ordinal = 0;  ///< index among the numbers with this label in an answer
  bool hex = false;
  int bits = 64;

  /// Returns the key in the lines of one answer; nullopt if the lines do not contain the key.
  [[nodiscard]] std::optional<ZobristKey> read(std::span<const std::string> lines) const;
};

/// A program's answer for a position.
struct ShownPosition {
  int position;  ///< number of the position
  std::vector<std::string> lines;
};

/// Returns the readings that can be the key. They meet all of these conditions. First: each answer
/// has a number with the reading's label and ordinal. Second: the number differs between most
/// positions. Third: equal positions always have equal numbers. Fourth: the label contains a word
/// for keys, or at least one number is large. Readings whose label contains a word for keys come
/// first. If two readings give equal numbers in all answers, only the first of them is returned.
[[nodiscard]] std::vector<KeyReading> readings_of(std::span<const ShownPosition> answers);

/// Returns the only reading that fits. A reading fits if its label contains `label`. If `label` is
/// empty, the readings whose label contains a word for keys fit; if no label has such a word, all
/// readings fit. Error kInvalidInput: no reading or several readings fit. Error kUnavailable: none
/// of the printed numbers can be the key.
Result<KeyReading> chosen_reading(std::span<const ShownPosition> answers, std::string_view label);

/// A source that takes keys from lines `FEN ; KEY` and `FEN moves e2e4 ; KEY`. A comma, a bar, an
/// equals sign or a tab may replace the semicolon.
class PastedKeys : public KeySource {
 public:
  /// Skips empty lines, lines that begin with #, and lines with nothing after the semicolon.
  /// Returns an error with `name` and the line number for any other line that cannot be read, and
  /// for a question that has two different keys. Also returns an error if there are no keys.
  static Result<std::unique_ptr<PastedKeys>> read(const std::string& name, std::string_view text);

  Result<Keys> keys(std::span<const KeyQuestion> questions) override;
  [[nodiscard]] int bits() const override { return bits_; }
  [[nodiscard]] bool answers_anything() const override { return false; }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// Returns the positions of those pasted lines that contain no moves.
  [[nodiscard]] const std::vector<KeyPosition>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<KeyLine>& lines() const { return lines_; }

 private:
  std::map<std::string, ZobristKey> keys_;  ///< the key of each question
  std::vector<KeyPosition> positions_;
  std::vector<KeyLine> lines_;
  int bits_ = 64;
};

// Asks a program for the keys of positions. Sends questions ahead, so that a fast program answers
// thousands of questions a second.

struct KeyProgramSpec {
  /// A shell command. If it contains {fen}, the command is run once for each position, and {moves}
  /// stands for the moves after the FEN. Otherwise the command starts an engine that speaks UCI.
  std::string command;
  /// The engine's command that prints the key; if empty, the usual commands are tried.
  std::string ask;
  /// A part of the words that the program prints beside the key; may be empty (see
  /// chosen_reading()).
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
