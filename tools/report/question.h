// A question: a position, moves, a depth and a mode. validated() checks and completes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/counting.h"
#include "core/line.h"

namespace manyply {

/// Defines what is counted, and by which method. The server stores the values of the enumerators,
/// so they must not change.
enum class CountMode : std::uint8_t {
  kHashed = 0,
  kUnhashed = 1,
  kVerify = 2,
  kStatistics = 3,
  kEstimate = 4,
  kUnique = 5,
  kCount = 6,           ///< counts by the faster method
  kConfigurations = 7,  ///< counts by configurations, if possible
};
inline constexpr std::array<std::string_view, 8> kCountModeNames{
    "hashed", "unhashed", "verify", "stats", "estimate", "unique", "count", "configurations"};
[[nodiscard]] std::string_view to_string(CountMode mode);   ///< "hashed", "verify", "stats", …
Result<CountMode> parse_count_mode(std::string_view name);  ///< the error lists the names

/// A question from a command line, a request, UCI or a row of a suite. `fen` and `moves` contain
/// the texts as given; validated() interprets these texts.
struct Question {
  std::string fen = "startpos";  ///< FEN, name or pasted text (position_text.h)
  std::string moves = {};        ///< moves in UCI or algebraic notation, played from `fen`
  bool chess960 = false;         ///< castling is written as king takes rook, whatever the FEN says
  Depth depth = {};
  CountMode mode = CountMode::kCount;
  /// Statistics only: also count kinds of moves that kernels do not count (statistics_job.h)
  bool details = false;
  bool divide = false;                        ///< list the root moves
  std::optional<std::uint64_t> samples = {};  ///< estimate only; validated() adds the default
  std::optional<std::uint64_t> seed = {};     ///< estimate only; validated() adds the default

  Line line = {};  ///< the meaning of `fen`, `moves` and `chess960`; set by validated()

  /// Limit on the half-moves of `moves`. The longest tournament game ever played had 538.
  static constexpr std::size_t kMaxMoves = 2'000;
  static constexpr std::uint64_t kMinSamples = 100;
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000'000;
  static constexpr std::uint64_t kUsualSeed = 1;
};

/// Rules for questions. They depend on the source of a question: command line, server or UCI.
struct QuestionRules {
  /// Castling notation if the question does not request Chess960. If nullopt, the FEN determines
  /// the notation.
  std::optional<CastlingNotation> notation = {};
  std::uint64_t max_samples = Question::kMaxSamples;
  std::uint64_t max_seed = UINT64_MAX;
};

/// Returns `question` with `line` set. For an estimate, also sets absent samples and seed to their
/// defaults. Errors name the field ("samples", "seed", "moves", or a field of the FEN) and its
/// column.
Result<Question> validated(Question question, const QuestionRules& by = {});

/// Returns the question for the perft of `root` at `depth`, with `line` set.
[[nodiscard]] Question question_of(const NamedPosition& root, Depth depth);

}  // namespace manyply
