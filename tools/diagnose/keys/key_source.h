// Somebody else's keys, whoever tells them: a program, a list that was pasted, a function of tests.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "hash/zobrist.h"

namespace manyply {

/// A position that is set up, and moves in UCI from there, with spaces between them.
struct KeyQuestion {
  std::string fen;
  std::string moves;

  friend auto operator<=>(const KeyQuestion&, const KeyQuestion&) = default;
};

/// "FEN" or "FEN moves e2e4 e7e5".
[[nodiscard]] inline std::string to_string(const KeyQuestion& question) {
  return question.moves.empty() ? question.fen : question.fen + " moves " + question.moves;
}

class KeySource {
 public:
  using Keys = std::vector<std::optional<ZobristKey>>;

  KeySource() = default;
  virtual ~KeySource() = default;
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;

  /// One for each question, asked in this order; nothing where no key is told. kUnavailable for a
  /// program that fails, kCancelled after a stop request.
  virtual Result<Keys> keys(std::span<const KeyQuestion> questions) = 0;
  /// Of its keys: 32 to 128.
  [[nodiscard]] virtual int bits() const = 0;
  /// Whether it can be told moves.
  [[nodiscard]] virtual bool plays_moves() const { return true; }
  /// Whether it answers anything, or only what is in its list.
  [[nodiscard]] virtual bool answers_anything() const { return true; }
};

}  // namespace manyply
