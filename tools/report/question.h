// What can be asked: of which position, how deep, and in which way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/line.h"

namespace manyply {

/// What is counted, and how sure that has to be. Numbers are stored.
enum class CountMode : std::uint8_t {
  kHashed = 0,
  kUnhashed = 1,
  kVerify = 2,
  kStatistics = 3,
  kEstimate = 4,
  kUnique = 5,
  kCount = 6,           ///< by whichever method is faster
  kConfigurations = 7,  ///< by that method, where it can be
};
inline constexpr std::array<std::string_view, 8> kCountModeNames{
    "hashed", "unhashed", "verify", "stats", "estimate", "unique", "count", "configurations"};
[[nodiscard]] std::string_view to_string(CountMode mode);   ///< "hashed", "verify", "stats", …
Result<CountMode> parse_count_mode(std::string_view name);  ///< the error lists the names

/// One question, whoever asks: a command line, a request, UCI, a row of a suite. The texts are what
/// was given; validated() finds out what they mean.
struct Question {
  std::string fen = "startpos";  ///< FEN or name
  std::string moves = {};        ///< UCI, played from there
  bool chess960 = false;         ///< castling written as king takes rook, whatever the FEN says
  Depth depth = {};
  CountMode mode = CountMode::kCount;
  bool details = false;  ///< of statistics: kinds that no kernel counts, too (last_ply_job.h)
  bool divide = false;   ///< shall the answer list the root moves? Reports always do
  std::optional<std::uint64_t> samples = {};  ///< of an estimate; a validated one has them
  std::optional<std::uint64_t> seed = {};     ///< of an estimate; a validated one has it

  Line line = {};  ///< what `fen`, `moves` and `chess960` mean, once validated

  /// Half-moves that lead to a position; the longest game ever played in a tournament had 538.
  static constexpr std::size_t kMaxMoves = 2'000;
  static constexpr std::uint64_t kMinSamples = 100;
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000'000;
  static constexpr std::uint64_t kUsualSamples = 10'000;
  static constexpr std::uint64_t kUsualSeed = 1;
};

/// What differs between those who ask.
struct QuestionRules {
  /// How castling is written where the question does not ask for Chess960; else as its FEN needs.
  std::optional<CastlingNotation> notation = {};
  std::uint64_t max_samples = Question::kMaxSamples;
  std::uint64_t max_seed = UINT64_MAX;
};

/// `question` with its line, and with samples and seed if it is an estimate. Errors name the field
/// ("samples", "seed", "moves", or one of a FEN) and its column.
Result<Question> validated(Question question, const QuestionRules& by = {});

/// How many paths of `depth` plies begin at `root`?
[[nodiscard]] Question question_of(const NamedPosition& root, Depth depth);

}  // namespace manyply
