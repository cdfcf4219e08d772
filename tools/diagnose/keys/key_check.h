// Whether a program's keys are right: how they are made, which rules they break, with proof.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_answers.h"
#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_plan.h"
#include "tools/diagnose/keys/key_table.h"
#include "tools/diagnose/keys/move_class.h"
#include "tools/diagnose/keys/number_audit.h"

namespace manyply {

struct KeyCheckOptions {
  KeyBudget budget{};
  std::vector<KeyPosition> more{};  ///< where lines of play begin, beside those built in
  std::function<void(std::size_t)> on_asked{};  ///< questions so far
  /// Instead of what is built in, for sources that answer nothing else.
  std::optional<std::vector<KeyLine>> lines{};
  std::vector<KeyPosition> positions{};  ///< these, too
  bool sums = true;                      ///< as of audit_numbers()
};

/// What legitimate keys differ in, and nobody is accused of.
struct KeyHabits {
  struct Passed {
    std::size_t with = 0;     ///< keys after a double step that are those of a FEN with the square
    std::size_t without = 0;  ///< … with "-"
  };
  std::array<Passed, 4> passed{};   ///< by PassedSquare
  std::optional<int> clock_from{};  ///< the least clock that changes a key
  bool counts_moves = false;        ///< the number of the move is in the key
  bool remembers = false;           ///< something of the moves before is, that no FEN tells
  bool polyglot = false;            ///< the published example keys
  bool mirrored = false;            ///< a position and its mirror image for the other side have one
  MoveSpelling spelling{};          ///< how it wants moves written
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
  std::vector<std::string> undecided{};  ///< what looks odd and accuses nobody

  [[nodiscard]] Verdict verdict() const {
    if (!findings.empty()) return Verdict::kWrong;
    return undecided.empty() ? Verdict::kSound : Verdict::kCannotTell;
  }
};

/// Errors are the source's.
Result<KeyReport> check_keys(KeySource& source, const KeyCheckOptions& options = {});

/// What check_keys() asks at first, for those who paste the answers.
[[nodiscard]] std::vector<KeyQuestion> questions_to_paste(std::size_t count);

}  // namespace manyply
