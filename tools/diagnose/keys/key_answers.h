// Questions for keys, each put once: in large portions, within a budget.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/diagnose/keys/key_source.h"

namespace manyply {

struct KeyBudget {
  std::size_t questions = 20'000;
  std::optional<std::chrono::duration<double>> seconds{};  ///< no question is put after that
};

/// Answers to questions that were put again.
enum class Standing : std::uint8_t {
  kSame,
  kRefused,  ///< the program shows the key of the question before: it did not take this one
  kChanged,
};

class KeyAnswers {
 public:
  /// `source` must outlive it.
  KeyAnswers(KeySource& source, const KeyBudget& budget,
             std::function<void(std::size_t)> on_asked = {});

  /// Puts those questions whose answers are not known; an error of the source.
  std::optional<Error> ask(std::span<const KeyQuestion> questions);
  /// What was answered; nothing where no key was told, or nobody asked.
  [[nodiscard]] std::optional<ZobristKey> key(const KeyQuestion& question) const;

  /// Asks again, with other questions in between, and compares with the known answers. Returns an
  /// error of the source.
  Result<Standing> stands(std::span<const KeyQuestion> questions);
  /// Asks again for all of these. Keeps of each the answer that the program gave twice; nullopt for
  /// a question that it refuses. Returns how many answers were not the same each time, without the
  /// refused ones; an error of the source.
  Result<std::size_t> ask_again(std::span<const KeyQuestion> questions);

  [[nodiscard]] std::size_t asked() const { return asked_; }
  [[nodiscard]] bool is_spent() const;
  [[nodiscard]] KeySource& source() const { return source_; }

 private:
  /// The answers of now, with decoys in between; nullopt for a refused question.
  Result<KeySource::Keys> fresh(std::span<const KeyQuestion> questions);

  KeySource& source_;
  const KeyBudget budget_;
  const std::function<void(std::size_t)> on_asked_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::optional<ZobristKey>> keys_;
  std::size_t asked_ = 0;
};

}  // namespace manyply
