// Sources of keys, and the questions and answers of a check: each question once, within a budget.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_position.h"

namespace manyply {

/// A source of keys: a program, a pasted list, or a function in a test.
class KeySource {
 public:
  using Keys = std::vector<std::optional<ZobristKey>>;

  KeySource() = default;
  virtual ~KeySource() = default;
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;

  /// Returns a key for each question, in this order; nullopt for a question without an answer.
  /// Errors: kUnavailable if the program fails, kCancelled after a stop request.
  virtual Result<Keys> keys(std::span<const KeyQuestion> questions) = 0;
  /// Returns the width of a key, 32 to 128 bits.
  [[nodiscard]] virtual int bits() const = 0;
  /// Returns whether the source takes moves.
  [[nodiscard]] virtual bool plays_moves() const { return true; }
  /// Returns whether the source answers any question; false for a fixed list.
  [[nodiscard]] virtual bool answers_anything() const { return true; }
};

/// Keys from lines `FEN ; KEY` and `FEN moves e2e4 ; KEY`.
class PastedKeys : public KeySource {
 public:
  /// Skips empty lines, lines that begin with #, and lines without a key. Returns an error with the
  /// line number for any other text, for a position with two keys, and if no line is left.
  static Result<std::unique_ptr<PastedKeys>> read(const std::string& name,
                                                  const std::vector<std::string>& lines);

  Result<Keys> keys(std::span<const KeyQuestion> questions) override;
  [[nodiscard]] int bits() const override { return bits_; }
  [[nodiscard]] bool answers_anything() const override { return false; }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// Returns the positions of the lines without moves.
  [[nodiscard]] const std::vector<KeyPosition>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<KeyLine>& lines() const { return lines_; }

 private:
  std::map<std::string, ZobristKey> keys_;  ///< by question
  std::vector<KeyPosition> positions_;
  std::vector<KeyLine> lines_;
  int bits_ = 64;
};

struct KeyBudget {
  std::size_t questions = 20'000;
  std::optional<std::chrono::duration<double>> seconds{};  ///< no question is put after that
};

/// The result of a question that was put again.
enum class Standing : std::uint8_t {
  kSame,
  kRefused,  ///< the program shows the key of the question before: it did not take this one
  kChanged,
};

/// The questions and answers of one check. Not for several threads. Errors are the source's.
class KeyAnswers {
 public:
  /// `source` must outlive this object. `on_asked` gets the number of questions so far.
  KeyAnswers(KeySource& source, const KeyBudget& budget,
             std::function<void(std::size_t)> on_asked = {});

  /// Puts the questions that have not been put before.
  std::optional<Error> ask(std::span<const KeyQuestion> questions);
  /// Returns the known answer; nullopt if the source gave none or the question was not put.
  [[nodiscard]] std::optional<ZobristKey> key(const KeyQuestion& question) const;

  /// Puts the questions again, with others in between, and compares the answers with the known
  /// ones: a program that refuses a position may show the key of the position before.
  Result<Standing> stands(std::span<const KeyQuestion> questions);
  /// Puts all of these questions again. Keeps for each the answer that the program gave twice, and
  /// nullopt for a question that it refuses. Returns the number of answers that changed.
  Result<std::size_t> ask_again(std::span<const KeyQuestion> questions);

  /// Returns the number of different questions.
  [[nodiscard]] std::size_t asked() const { return asked_; }
  [[nodiscard]] bool is_spent() const;
  [[nodiscard]] KeySource& source() const { return source_; }

 private:
  /// Returns new answers, with decoys in between; nullopt for a refused question.
  Result<KeySource::Keys> fresh(std::span<const KeyQuestion> questions);

  KeySource& source_;
  const KeyBudget budget_;
  const std::function<void(std::size_t)> on_asked_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::optional<ZobristKey>> keys_;
  std::size_t asked_ = 0;
};

}  // namespace manyply
