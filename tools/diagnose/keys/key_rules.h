// Checks a program's keys. Finds out how the program computes its keys, and proves which rules the
// keys break.
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

namespace manyply {

// Audits the numbers of which keys are made. Different positions have equal keys if numbers are
// zero, are equal, or cancel each other.

/// A number of the program's table.
struct KeyNumber {
  std::size_t feature;
  std::string name;
  ZobristKey value;
};

struct NumberAudit {
  bool four_rights = false;     ///< one number per castling right; otherwise one per set of rights
  bool passed_by_file = false;  ///< the two en passant squares of a file have the same number
  std::vector<KeyNumber> numbers{};
  int rank = 0;           ///< rank over GF(2): the number of useful bits of a key
  int changing_bits = 0;  ///< number of bits that are set in at least one number
  /// Each bit should be set in about half of the numbers. This is the greatest deviation of a bit
  /// from one half, in standard deviations.
  double worst_sigmas = 0;
  int worst_bit = 0;      ///< the bit with this deviation
  double collisions = 0;  ///< expected number of collisions among 2^30 positions
  /// Sets of numbers that cancel by chance because keys are short. Each set has the names of its
  /// numbers.
  std::vector<std::vector<std::string>> by_chance{};
  std::vector<KeyFinding> findings{};
};

/// Audits the numbers of the table. If the keys are not linear, compares single positions instead.
/// Precondition: the source has answered telling_positions(), and `table` was made from the
/// answers. If `sums`, also searches for sets of numbers that cancel, which takes almost a second.
/// Only this search sets the members `rank`, `worst_sigmas`, `worst_bit`, `collisions` and
/// `by_chance`. Each finding has two positions as proof, and the program has answered twice for
/// each of them. Errors: those of the source.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

// Checks keys with all rules.

struct KeyCheckOptions {
  KeyBudget budget{};
  std::vector<KeyPosition> more{};              ///< more start positions of lines of play
  std::function<void(std::size_t)> on_asked{};  ///< receives the number of questions so far
  /// Lines of play that replace the built-in ones, for sources with fixed answers.
  std::optional<std::vector<KeyLine>> lines{};
  std::vector<KeyPosition> positions{};  ///< more positions from which to compute the numbers
  bool sums = true;                      ///< see audit_numbers()
};

/// Properties of keys in which correct programs may differ.
struct KeyHabits {
  struct Passed {
    /// Number of keys after a double step that equal the key of the FEN with the square.
    std::size_t with = 0;
    std::size_t without = 0;  ///< number of keys that equal the key of the FEN with "-"
  };
  std::array<Passed, 4> passed{};   ///< indexed by PassedSquare
  std::optional<int> clock_from{};  ///< the smallest half-move clock that changes a key
  bool counts_moves = false;        ///< keys depend on the move number
  bool remembers = false;           ///< keys depend on earlier moves, which no FEN contains
  bool polyglot = false;            ///< keys equal all published Polyglot keys
  bool mirrored = false;            ///< keys stay the same if the two sides are exchanged
  MoveSpelling spelling{};          ///< the spelling of moves that the program accepts
};

struct KeyReport {
  struct Count {
    std::size_t asked = 0;       ///< moves after which the key was compared
    std::size_t wrong = 0;       ///< moves after which the key is wrong
    std::size_t not_played = 0;  ///< moves that the program does not play, or plays wrong
  };
  enum class Verdict : std::uint8_t { kSound, kWrong, kCannotTell };

  KeyTable table{};
  NumberAudit numbers{};
  KeyHabits habits{};
  std::array<Count, kMoveClasses> moves{};
  std::size_t asked = 0;  ///< number of different questions
  int bits = 64;          ///< width of a key
  std::vector<KeyFinding> findings{};
  std::vector<std::string> undecided{};  ///< observations that prove no fault

  [[nodiscard]] Verdict verdict() const {
    if (!findings.empty()) return Verdict::kWrong;
    return undecided.empty() ? Verdict::kSound : Verdict::kCannotTell;
  }
};

/// Asks the source for keys and reports their faults. Errors: those of the source.
Result<KeyReport> check_keys(KeySource& source, const KeyCheckOptions& options = {});

/// Returns the first `count` questions of check_keys(), for a user who pastes the answers.
[[nodiscard]] std::vector<KeyQuestion> questions_to_paste(std::size_t count);

}  // namespace manyply
