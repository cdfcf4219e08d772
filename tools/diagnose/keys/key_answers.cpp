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

Result<KeySource::Keys> KeyAnswers::fresh(std::span<const KeyQuestion> questions) {
  std::vector<KeyQuestion> all;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    all.push_back({kDecoys[i % 2], {}});
    all.push_back(questions[i]);
  }
  Result<KeySource::Keys> keys = source_.keys(all);
  if (!keys) return keys;
  KeySource::Keys answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& decoy = keys->at(2 * i);
    const auto& answer = keys->at(2 * i + 1);
    answers.push_back(decoy && answer == decoy ? std::nullopt : answer);
  }
  return answers;
}

Result<Standing> KeyAnswers::stands(std::span<const KeyQuestion> questions) {
  // A pasted list has no decoys, and it always says the same.
  if (!source_.answers_anything()) return Standing::kSame;
  const Result<KeySource::Keys> answers = fresh(questions);
  if (!answers) return answers.error();
  Standing standing = Standing::kSame;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!answers->at(i)) return Standing::kRefused;
    if (answers->at(i) != key(questions[i])) standing = Standing::kChanged;
  }
  return standing;
}

Result<std::size_t> KeyAnswers::ask_again(std::span<const KeyQuestion> questions) {
  std::size_t changed = 0;
  if (!source_.answers_anything()) return changed;
  for (std::size_t from = 0; from < questions.size(); from += kPortion) {
    const auto some = questions.subspan(from, std::min(kPortion, questions.size() - from));
    const Result<KeySource::Keys> second = fresh(some);
    if (!second) return second.error();
    std::vector<KeyQuestion> open;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (second->at(i) != key(some[i])) open.push_back(some[i]);
    }
    const Result<KeySource::Keys> third = fresh(open);
    if (!third) return third.error();
    for (std::size_t i = 0, at = 0; i < some.size(); ++i) {
      auto& known = keys_[to_string(some[i])];
      if (second->at(i) == known) continue;
      const auto& last = third->at(at++);
      if (last == known) {
        ++changed;
      } else if (last == second->at(i)) {
        changed += last ? 1U : 0U;
        known = last;
      } else {
        ++changed;
        known.reset();
      }
    }
  }
  return changed;
}

}  // namespace manyply
