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

class KeyAnswers {
 public:
  /// `source` must outlive it.
  KeyAnswers(KeySource& source, const KeyBudget& budget,
             std::function<void(std::size_t)> on_asked = {});

  /// Puts those questions whose answers are not known; an error of the source.
  std::optional<Error> ask(std::span<const KeyQuestion> questions);
  /// What was answered; nothing where no key was told, or nobody asked.
  [[nodiscard]] std::optional<ZobristKey> key(const KeyQuestion& question) const;

  /// Whether the program still answers so, when it is asked something else in between: one that
  /// refuses a position may show the one before. An error of the source.
  Result<bool> stands(std::span<const KeyQuestion> questions);

  [[nodiscard]] std::size_t asked() const { return asked_; }
  [[nodiscard]] bool is_spent() const;
  [[nodiscard]] KeySource& source() const { return source_; }

 private:
  KeySource& source_;
  const KeyBudget budget_;
  const std::function<void(std::size_t)> on_asked_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::optional<ZobristKey>> keys_;
  std::size_t asked_ = 0;
};

}  // namespace manyply
