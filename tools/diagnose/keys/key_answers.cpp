#include "tools/diagnose/keys/key_answers.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace manyply {
namespace {

constexpr std::size_t kPortion = 128;  // after each of them it is told how far it is
/// Asked in between; nothing that anybody is accused of has their pieces.
constexpr const char* kDecoys[] = {"8/1k6/8/2bqnr2/8/3RB3/5K2/2N1Q3 w - - 0 1",
                                   "n1n5/1k2q3/8/5N2/1B6/6R1/2K5/7b b - - 0 1"};

}  // namespace

KeyAnswers::KeyAnswers(KeySource& source, const KeyBudget& budget,
                       std::function<void(std::size_t)> on_asked)
    : source_(source), budget_(budget), on_asked_(std::move(on_asked)) {}

bool KeyAnswers::is_spent() const {
  if (asked_ >= budget_.questions) return true;
  return budget_.seconds && std::chrono::steady_clock::now() - begin_ >= *budget_.seconds;
}

std::optional<Error> KeyAnswers::ask(std::span<const KeyQuestion> questions) {
  std::vector<KeyQuestion> open;
  std::unordered_set<std::string> seen;
  for (const KeyQuestion& question : questions) {
    const std::string text = to_string(question);
    if (!keys_.contains(text) && seen.insert(text).second) open.push_back(question);
  }
  for (std::size_t from = 0; from < open.size(); from += kPortion) {
    const auto some = std::span(open).subspan(from, std::min(kPortion, open.size() - from));
    const auto keys = source_.keys(some);
    if (!keys) return keys.error();
    for (std::size_t i = 0; i < some.size(); ++i) keys_.emplace(to_string(some[i]), keys->at(i));
    asked_ += some.size();
    if (on_asked_) on_asked_(asked_);
  }
  return std::nullopt;
}

std::optional<ZobristKey> KeyAnswers::key(const KeyQuestion& question) const {
  const auto found = keys_.find(to_string(question));
  return found == keys_.end() ? std::nullopt : found->second;
}

Result<bool> KeyAnswers::stands(std::span<const KeyQuestion> questions) {
  std::vector<KeyQuestion> all;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    all.push_back({kDecoys[i % 2], {}});
    all.push_back(questions[i]);
  }
  const auto keys = source_.keys(all);
  if (!keys) return keys.error();
  // A list that was pasted has no decoys in it, and no memory either.
  if (!source_.answers_anything()) return true;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& decoy = keys->at(2 * i);
    const auto& answer = keys->at(2 * i + 1);
    if (!answer || !decoy || answer == decoy || answer != key(questions[i])) return false;
  }
  return true;
}

}  // namespace manyply
