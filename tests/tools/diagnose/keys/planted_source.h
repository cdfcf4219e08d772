// Answers questions from PlantedKeys directly, without a program.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "tests/tools/diagnose/keys/planted_keys.h"
#include "tools/diagnose/keys/key_check.h"

namespace manyply {

class PlantedSource : public KeySource {
 public:
  explicit PlantedSource(std::string_view faults = "", std::string_view scheme = "polyglot")
      : planted(faults, scheme) {}

  Result<Keys> keys(std::span<const KeyQuestion> questions) override {
    Keys keys;
    for (const KeyQuestion& question : questions) {
      bool refused = false;
      const std::uint64_t key = planted.key(question.fen, question.moves, &refused);
      // A program that refuses a move may stay at the previous position.
      if (!refused || !planted.has("stays")) last_ = {key, 0};
      keys.push_back(last_);
    }
    return keys;
  }
  [[nodiscard]] int bits() const override { return 64; }

  const PlantedKeys planted;

 private:
  ZobristKey last_;
};

/// Enough questions to meet every kind of move. Only a few tests look for sets of numbers that
/// cancel each other, because that takes twenty times as long.
inline KeyCheckOptions few_questions(bool sums = false) {
  KeyCheckOptions options;
  options.budget.questions = 4500;
  options.sums = sums;
  return options;
}

inline KeyReport checked_keys(KeySource& source, const KeyCheckOptions& options = few_questions()) {
  return *check_keys(source, options);
}

inline KeyReport checked_keys(PlantedSource&& source,
                              const KeyCheckOptions& options = few_questions()) {
  return checked_keys(source, options);
}

/// Returns the names of the findings in alphabetical order.
inline std::string fault_names(const KeyReport& report) {
  std::set<std::string> names;
  for (const KeyFinding& finding : report.findings) names.emplace(name_of(finding.fault));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace manyply
