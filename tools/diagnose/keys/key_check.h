// Checks a program's keys: how they are made, and which rules they break, with proof.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_plan.h"
#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"
#include "tools/diagnose/keys/number_audit.h"

namespace manyply {

struct KeyCheckOptions {
  KeyBudget budget{};
  std::vector<KeyPosition> more{};              ///< more starts of lines of play
  std::function<void(std::size_t)> on_asked{};  ///< gets the questions so far
  /// Replaces the built-in lines, for sources with fixed answers.
  std::optional<std::vector<KeyLine>> lines{};
  std::vector<KeyPosition> positions{};  ///< to set up, too
  bool sums = true;                      ///< as of audit_numbers()
};

/// Properties in which right keys differ.
struct KeyHabits {
  struct Passed {
    std::size_t with = 0;     ///< keys after a double step equal to those of a FEN with the square
    std::size_t without = 0;  ///< the same with "-"
  };
  std::array<Passed, 4> passed{};   ///< by PassedSquare
  std::optional<int> clock_from{};  ///< the least clock that changes a key
  bool counts_moves = false;        ///< the number of the move is in the key
  bool remembers = false;           ///< something of the earlier moves is, which no FEN contains
  bool polyglot = false;            ///< all published examples agree
  bool mirrored = false;            ///< a position and its mirror image have one key
  MoveSpelling spelling{};          ///< how the program wants moves written
};

struct KeyReport {
  struct Count {
    std::size_t asked = 0;
    std::size_t wrong = 0;
    std::size_t not_played = 0;
  };
  enum class Verdict : std::uint8_t { kSound, kWrong, kCannotTell };

  KeyTable table{};
  NumberAudit numbers{};
  KeyHabits habits{};
  std::array<Count, kMoveClasses> moves{};
  std::size_t asked = 0;
  int bits = 64;
  std::vector<KeyFinding> findings{};
  std::vector<std::string> undecided{};  ///< observations that prove no fault

  [[nodiscard]] Verdict verdict() const {
    if (!findings.empty()) return Verdict::kWrong;
    return undecided.empty() ? Verdict::kSound : Verdict::kCannotTell;
  }
};

/// Asks the source and compares its answers. Returns an error of the source.
Result<KeyReport> check_keys(KeySource& source, const KeyCheckOptions& options = {});

/// Returns the first questions of check_keys(), for a user who pastes the answers.
[[nodiscard]] std::vector<KeyQuestion> questions_to_paste(std::size_t count);

}  // namespace manyply
