// The question of a user (position, moves, depth and mode), the options of its count, and the
// format of its result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/counting.h"
#include "core/kernel.h"
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
  /// The castling notation of a question whose `chess960` is false. If this value is nullopt, the
  /// FEN determines the notation.
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

/// Threads, kernel, method and table of a count. They do not change the result, unless `key_bits`
/// makes keys so weak that false matches occur.
struct CountOptions {
  int threads = 0;                 ///< 0 = all cores that this process may use
  const Kernel* kernel = nullptr;  ///< null = the fastest one
  /// Used only in mode count; other modes determine the method.
  Method method = Method::kAuto;
  std::optional<std::uint64_t> table_bytes = {};  ///< 0 = no table; nullopt = chosen for the count
  std::optional<std::uint64_t> key_seed = {};     ///< seed of the table's random keys
  std::optional<int> key_bits = {};  ///< nullopt = all; with fewer bits, keys are weak (for tests)
  /// Memory of the whole process in a count by configurations, in bytes; 0 = automatic.
  std::uint64_t memory_bytes = 0;
  /// Number of parts of a count by configurations; 0 = automatic.
  std::size_t parts = 0;
  bool table_is_given = false;     ///< table size and seed are defaults, not the user's choice
  bool pin_workers = false;        ///< each worker stays on one core
  bool interleave_tables = false;  ///< spread tables over all NUMA nodes
};

// The output formats. A new format needs a name at the end of the lists below, and a function that
// generates the format from a document. In answer.cpp, each mode that supports the format needs an
// entry for it. A format for suites also needs an entry in cli/suite_commands.cpp.

enum class Format : std::uint8_t { kText, kJson, kCsv, kStockfish, kEpd, kJUnit };

/// Properties of a format.
struct FormatInfo {
  std::string_view name;
  std::string_view media_type;
  bool of_jobs;     ///< available for results of jobs, if their mode supports it
  bool of_batches;  ///< available for results of batches
};
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
inline constexpr std::array<FormatInfo, 6> kFormats{{
    {"text", kPlainText, false, true},
    {"json", "application/json", true, true},
    {"csv", "text/csv; charset=utf-8", true, false},
    {"stockfish", kPlainText, true, false},
    {"epd", kPlainText, true, false},
    {"junit", "application/xml", false, true},
}};
/// Returns the properties of a format.
[[nodiscard]] constexpr const FormatInfo& info(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}
[[nodiscard]] constexpr std::string_view to_string(Format format) { return info(format).name; }

/// Options for showing a document. A document does not contain them.
struct Presentation {
  /// List the root moves in text; other formats list them whenever the document has them.
  bool divide = false;
  /// The root and the moves that led to it, if known. The order in which Stockfish lists moves
  /// depends on the move that led to the root. A FEN does not contain this move.
  const Line* line = nullptr;
};

}  // namespace manyply
