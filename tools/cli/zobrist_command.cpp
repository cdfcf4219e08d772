#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "hash/key_audit.h"
#include "tools/cli/commands.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/cli/suite_file.h"
#include "tools/diagnose/keys/printed_keys.h"
#include "tools/engine/engine_protocol.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

struct ZobristOptions : Question, CountOptions, Showing, GivenFlags {
  std::vector<int> collision_bits{24, 28, 32, 36, 40};
  std::uint64_t max_positions = 2'000'000;

  // Options for the keys of another program.
  KeyProgramSpec program;
  std::string paste;  ///< file with the pasted keys
  std::string suite;
  std::optional<Budget> budget;
  std::optional<std::uint64_t> questions;  ///< number of positions to print
};

/// Returns whether the random words and all measured collisions agree with the theory.
bool passed(const WordAudit& words, const CollisionAudit& collisions) {
  return words.passed() && std::ranges::all_of(collisions.counts, &CollisionCount::within_bounds);
}

std::string text_of(std::uint64_t seed, const WordAudit& words, const CollisionAudit& collisions) {
  std::string text = fmt::format(
      "seed       {}\n"
      "words      {} of 128 bits, {} of them derived (queen = bishop ^ rook)\n"
      "depend     {} sets of at most {} words have the XOR 0, {} of them pairs of equal words; 0 "
      "allowed\n"
      "rank       {} over GF(2), of {}\n"
      "distance   {} bits between the two closest words, {} and {}; at least {} expected\n"
      "balance    at most {:.1f} sigma: bit {} is set in {} of {} words; up to {:.0f} allowed\n",
      seed, words.words, words.derived, words.dependences.size(), WordAudit::kLargestSubset,
      words.duplicates, words.rank, words.expected_rank, words.min_distance, words.nearest[0],
      words.nearest[1], words.least_allowed_distance, words.worst_sigmas, words.worst_bit,
      words.worst_bit_ones, words.words - words.derived, WordAudit::kMaxSigmas);
  for (const auto& names : words.dependences)
    text += fmt::format("           {}\n", fmt::join(names, " ^ "));
  text += fmt::format(
      "positions  {} distinct ones from {} random games; clustering {:.1f}\n\n"
      "{:>4} {:>12} {:>14} {:>14} {:>14}  {}\n",
      collisions.positions, collisions.games, collisions.clustering, "bits", "collisions",
      "expected", "at least", "at most", "verdict");
  for (const CollisionCount& count : collisions.counts) {
    text += fmt::format("{:>4} {:>12} {:>14.2f} {:>14.1f} {:>14.1f}  {}\n", count.bits,
                        count.measured, count.expected, count.least, count.most,
                        count.within_bounds() ? "as predicted" : "OUT OF BOUNDS");
  }
  return text +
         "\nA collision is a pair of different positions with equal keys. Among n positions,\n"
         "n (n - 1) / 2 / 2^bits collisions are expected. Pairs that differ in the same features\n"
         "collide together; 'clustering' is the mean number of such pairs. 'at least' is 5 sigma\n"
         "below 'expected' (sigma^2 = clustering * expected). 'at most' is 5 sigma and\n"
         "5 * clustering above 'expected'.\n\n" +
         (passed(words, collisions) ? "verdict    sound\n" : "verdict    NOT SOUND\n");
}

nlohmann::ordered_json json_of(std::uint64_t seed, const WordAudit& words,
                               const CollisionAudit& collisions) {
  using Json = nlohmann::ordered_json;
  Json counts = Json::array();
  for (const CollisionCount& count : collisions.counts) {
    counts.push_back({{"bits", count.bits},
                      {"measured", count.measured},
                      {"expected", count.expected},
                      {"least", count.least},
                      {"most", count.most},
                      {"within_bounds", count.within_bounds()}});
  }
  return {{"key_seed", std::to_string(seed)},
          {"sound", passed(words, collisions)},
          {"words",
           {{"words", words.words},
            {"derived", words.derived},
            {"duplicates", words.duplicates},
            {"largest_subset", WordAudit::kLargestSubset},
            {"dependences", words.dependences},
            {"rank", words.rank},
            {"expected_rank", words.expected_rank},
            {"min_distance", words.min_distance},
            {"nearest", words.nearest},
            {"least_allowed_distance", words.least_allowed_distance},
            {"worst_bit", words.worst_bit},
            {"worst_bit_ones", words.worst_bit_ones},
            {"worst_sigmas", words.worst_sigmas},
            {"max_sigmas", WordAudit::kMaxSigmas}}},
          {"collisions",
           {{"positions", collisions.positions},
            {"games", collisions.games},
            {"clustering", collisions.clustering},
            {"by_bits", std::move(counts)}}}};
}

/// Audits the keys of our own tables for one seed.
int audit_own_keys(const ZobristOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const std::uint64_t seed = options.key_seed.value_or(KeySpec::kDefaultSeed);
  const Result<CollisionAudit> collisions = measure_collisions(
      question->line.here(), seed, options.collision_bits, options.max_positions, io.stop);
  if (!collisions) return fail(io, collisions.error());
  const WordAudit words = audit_words(words_of(KeySet({seed, KeySpec::kMaxBits})));
  if (io.stop.stop_requested()) return fail(io, cancelled());
  io.out << (options.format == Format::kJson ? json_line(json_of(seed, words, *collisions))
                                             : text_of(seed, words, *collisions));
  return passed(words, *collisions) ? kExitOk : kExitMismatch;
}

// ---------------------------------------------------------------- keys of another program

/// Default limit on questions to a program that is started for each position. Each start takes
/// milliseconds.
constexpr std::size_t kQuestionsToRuns = 4000;

/// Checks the keys of another program. Asks the program, or reads keys that the user pasted.
class OtherKeys {
 public:
  OtherKeys(const ZobristOptions& options, Io& io) : options_(options), io_(io) {}

  int run() {
    if (auto error = read_suite_positions()) return fail(io_, *error);
    return options_.paste.empty() ? ask_program() : read_paste();
  }

 private:
  /// Adds the positions of --suite to the questions.
  std::optional<Error> read_suite_positions() {
    if (options_.suite.empty()) return std::nullopt;
    const Result<Suite> suite = read_suite(options_.suite, io_);
    if (!suite) return suite.error();
    tell_how_read(*suite, io_);
    std::size_t left_out = 0;
    for (const SuiteLine& line : suite->lines) {
      // Some programs do not know Chess960.
      if (line.record.root.notation != CastlingNotation::kStandard) {
        ++left_out;
        continue;
      }
      if (const auto position = KeyPosition::parse(line.record.fen)) how_.more.push_back(*position);
    }
    if (left_out > 0)
      io_.err << fmt::format("perft: {}: {} positions of Chess960 are left out\n",
                             printable(name_of_input(options_.suite)), left_out)
              << std::flush;
    return std::nullopt;
  }

  /// Starts the program and checks its keys.
  int ask_program() {
    std::string errors;
    const auto program = [&] {
      const ClockedLine line(options_.progress, io_, "starting the program");
      return KeyProgram::open(options_.program, io_.stop, errors);
    }();
    if (!program) return give_up(program.error(), errors);
    KeyProgram& asked = **program;
    if (asked.is_run_anew()) how_.budget.questions = kQuestionsToRuns;
    if (options_.budget) {
      const std::optional<NodeCount> most = options_.budget->nodes;
      how_.budget.questions =
          most && most->fits_64_bits()
              ? static_cast<std::size_t>(std::min<std::uint64_t>(most->low(), SIZE_MAX))
              : SIZE_MAX;
      how_.budget.seconds = options_.budget->seconds;
    }
    const std::string behind =
        asked.reading().label.empty() ? "" : fmt::format(" behind '{}'", asked.reading().label);
    const std::string shown_by = asked.is_run_anew() ? "" : fmt::format(" by '{}'", asked.ask());
    std::string name = printable(asked.name());
    if (asked.name() != options_.program.command)
      name += fmt::format(" ({})", printable(options_.program.command));
    const std::string who =
        fmt::format("{}, key{}{}, {} bits", name, shown_by, printable(behind), asked.bits());
    const nlohmann::ordered_json object{{"command", options_.program.command},
                                        {"name", asked.name()},
                                        {"ask", asked.ask()},
                                        {"label", asked.reading().label}};
    return check(asked, "engine", who, object, [&] { return asked.errors(); });
  }

  /// Checks pasted keys.
  int read_paste() {
    const Result<std::string> text = read_input(options_.paste, io_);
    if (!text) return fail(io_, text.error());
    const auto pasted = PastedKeys::read(name_of_input(options_.paste), *text);
    if (!pasted) return fail(io_, pasted.error());
    how_.lines = (*pasted)->lines();
    how_.positions = (*pasted)->positions();
    const std::string who = fmt::format("{}, {} of {} bits", name_of_input(options_.paste),
                                        (*pasted)->size(), (*pasted)->bits());
    return check(**pasted, "keys", who, options_.paste, [] { return std::string(); });
  }

  template <typename Errors>
  int check(KeySource& source, const char* kind, const std::string& who,
            const nlohmann::ordered_json& object, const Errors& errors) {
    const auto begin = std::chrono::steady_clock::now();
    Result<KeyReport> report = [&] {
      ClockedLine line(options_.progress, io_, "asking for keys");
      how_.on_asked = [&](std::size_t asked) {
        if (options_.progress == ProgressMode::kJson)
          io_.err << json_line({{"event", "asked"}, {"positions", asked}}) << std::flush;
        line.show(fmt::format("asked for {} keys", asked));
      };
      return check_keys(source, how_);
    }();
    if (!report) return give_up(report.error(), errors());
    if (io_.stop.stop_requested()) return fail(io_, cancelled());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (options_.format == Format::kJson) {
      nlohmann::ordered_json all{{kind, object}, {"seconds", seconds.count()}};
      all.update(key_report_json(*report));
      io_.out << json_line(all);
    } else {
      io_.out << report_sentence(kind, who, io_.terminal_columns);
      if (options_.paste.empty())
        io_.out << text_line("asked",
                             fmt::format("{} positions, {:.1f} s", report->asked, seconds.count()));
      io_.out << key_report_text(*report, io_.terminal_columns);
    }
    using Verdict = KeyReport::Verdict;
    const Verdict verdict = report->verdict();
    return verdict == Verdict::kSound   ? kExitOk
           : verdict == Verdict::kWrong ? kExitMismatch
                                        : kExitError;
  }

  int give_up(const Error& error, const std::string& errors) {
    if (error.code != ErrorCode::kCancelled) show_engine_errors(errors, io_);
    return fail(io_, error);
  }

  const ZobristOptions& options_;
  Io& io_;
  KeyCheckOptions how_;
};

int write_questions(const ZobristOptions& options, Io& io) {
  for (const KeyQuestion& question :
       questions_to_paste(static_cast<std::size_t>(*options.questions)))
    io.out << to_string(question) << " ;\n";
  io.out << std::flush;
  return kExitOk;
}

/// Returns an error if modes are combined, or if the chosen mode does not support a given flag.
std::optional<Error> flag_of_another_mode(const ZobristOptions& options) {
  const int modes = (options.program.command.empty() ? 0 : 1) + (options.paste.empty() ? 0 : 1) +
                    (options.questions ? 1 : 0);
  const auto refuse = [&](std::initializer_list<const char*> flags, const char* why) {
    for (const char* flag : flags) {
      if (options.was_given(flag)) return std::optional(bad_input(flag, why));
    }
    return std::optional<Error>();
  };
  const auto refuse_of_engine = [&] {
    return refuse({"--ask", "--label", "--suite", "--budget", "--timeout", "--progress"},
                  "requires --engine");
  };
  if (modes == 0) return refuse_of_engine();
  if (modes > 1 || (options.was_given("--engine") && options.was_given("--run")))
    return bad_input("", "only one of --engine, --run, --paste and --questions may be given");
  if (auto error =
          refuse({"--fen", "--moves", "--chess960", "--key-seed", "--key-bits", "--positions"},
                 "is only for checks of Manyply's own keys"))
    return error;
  if (options.questions && options.was_given("--format"))
    return bad_input("--format", "is not supported with --questions, which prints lines of text");
  if (options.program.command.empty()) return refuse_of_engine();
  const bool runs = has_place(options.program.command, kFenPlace);
  if (options.was_given("--run") && !runs) return bad_input("--run", "must contain {fen}");
  if (!runs) return std::nullopt;
  return refuse({"--ask"},
                options.was_given("--run") ? "requires --engine" : "cannot be combined with --run");
}

int run_zobrist(const ZobristOptions& options, Io& io) {
  if (auto error = flag_of_another_mode(options)) return fail(io, *error);
  if (options.questions) return write_questions(options, io);
  if (!options.program.command.empty() || !options.paste.empty())
    return OtherKeys(options, io).run();
  return audit_own_keys(options, io);
}

/// Parses the widths of short keys in bits, such as "24,28".
Result<std::vector<int>> parse_widths(std::string_view text) {
  std::vector<int> widths;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto width = parse_number(text.substr(at, end - at), KeySpec::kMinBits, 64);
    if (!width) return width.error();
    widths.push_back(static_cast<int>(*width));
    at = end + 1;
  }
  return widths;
}

/// Returns a copy of the flag kInner. The copy's `take` also adds the flag's name to
/// GivenFlags::given, because the command refuses flags that the chosen mode does not support.
template <const auto& kInner>
Flag<ZobristOptions> noted() {
  return {kInner.name, kInner.value, kInner.help,
          [](ZobristOptions& options, const std::string& text) {
            options.given.emplace_back(kInner.name);
            return kInner.take(options, text);
          },
          kInner.values};
}

constexpr Flag<ZobristOptions> kCollisionBits{
    "--key-bits", "B,B", "key widths for which collisions are counted (default: 24,28,32,36,40)",
    [](ZobristOptions& options, const std::string& text) {
      return store(parse_widths(text), options.collision_bits, "--key-bits");
    }};
constexpr Flag<ZobristOptions> kPositions{
    "--positions", "N",
    "number of distinct positions, from random games, whose keys are compared (default: 2000000)",
    take_amount<&ZobristOptions::max_positions, 2, UINT64_MAX>};
constexpr Flag<ZobristOptions> kKeyEngine{
    "--engine",
    "CMD",
    "check the keys of this engine instead: its shell command",
    [](ZobristOptions& options, const std::string& text) {
      return options.program.command = text, accepted();
    },
    {ValueKind::kProgram}};
constexpr Flag<ZobristOptions> kRun{
    "--run",
    "CMD",
    "check a program that is run once per position; {fen} and {moves} in CMD are replaced",
    [](ZobristOptions& options, const std::string& text) {
      return options.program.command = text, accepted();
    },
    {ValueKind::kProgram}};
constexpr Flag<ZobristOptions> kAsk{
    "--ask", "TEXT",
    "the command that makes the engine print its key (default: d, or another usual command); with "
    "{fen} and {moves} in TEXT, no position command is sent first; \\n separates lines",
    [](ZobristOptions& options, const std::string& text) {
      return options.program.ask = text, accepted();
    }};
constexpr Flag<ZobristOptions> kLabel{
    "--label", "TEXT",
    "words that the program prints next to the key, if it prints several numbers",
    [](ZobristOptions& options, const std::string& text) {
      return options.program.label = text, accepted();
    }};
constexpr Flag<ZobristOptions> kPaste{
    "--paste",
    "FILE",
    "check the keys in a file with lines FEN ; KEY and FEN moves e2e4 ; KEY (- is standard input)",
    take_text<&ZobristOptions::paste>,
    {ValueKind::kFile}};
constexpr Flag<ZobristOptions> kQuestions{
    "--questions", "N", "print N positions, to which you add the keys for --paste",
    take_amount<&ZobristOptions::questions, 1, 10'000'000>};
constexpr Flag<ZobristOptions> kKeySuite{
    "--suite", "FILE", "also check keys after moves from the positions of this suite",
    take_text<&ZobristOptions::suite>, kSuiteValues};
constexpr Flag<ZobristOptions> kKeyBudget{
    "--budget", "N",
    "stop after N positions (1e5) or a time (90s, 10min, 1h) (default: 20000; 4000 with --run)",
    [](ZobristOptions& options, const std::string& text) {
      return store(parse_budget(text, "positions"), options.budget, "--budget");
    }};
constexpr Flag<ZobristOptions> kKeyTimeout{
    "--timeout", "S", "time limit for each answer of the engine, in seconds (default: 60)",
    [](ZobristOptions& options, const std::string& text) {
      return store(parse_number(text, 1, 86400), options.program.timeout_seconds, "--timeout");
    }};

}  // namespace

Command zobrist_command() {
  using namespace flags;
  return make_command<ZobristOptions>(
      {.name = "zobrist",
       .summary = "Check the Zobrist keys of Manyply, or those of an engine",
       .about = R"(
Checks the random words from which Manyply computes its keys: looks for words that depend on each
other. Counts collisions of short keys among distinct positions, and compares their number with
theory. Positions are distinguished by fingerprints. A million positions take 200 MB.

With --engine, checks the Zobrist keys of another program. After each kind of move, the key must
equal that of the same position set up from a FEN, and different positions must have different keys.
If keys are the XOR of numbers, the check computes these numbers, and explains each wrong key by the
surplus or missing numbers, with the smallest case. Other correct schemes are named and accepted:
clocks in keys, en passant squares without a capture, four or sixteen numbers for castling, keys
that are not linear. A move that the program does not play is not a fault. As the key, the check
takes the number in the program's output that changes with the position, and is the same again when
the position is repeated.

Exit code: 0 if all figures are within bounds, or the keys are sound; 1 if not; 2 on an error, or if
the verdict is 'cannot tell'; 130 on Ctrl-C.)",
       .examples = R"(
perft zobrist
perft zobrist --key-bits 32,40 --positions 10000000
perft zobrist --engine stockfish
perft zobrist --engine ./my-engine --ask print --budget 1e5
perft zobrist --run './my-key {fen} {moves}'
perft zobrist --questions 3000 > positions.txt
perft zobrist --paste positions-with-keys.txt)",
       .needs = {.ends_on_sigterm = true}},
      {noted<kFen>(), noted<kMoves>(), noted<kChess960>(), noted<kKeySeed>(),
       noted<kCollisionBits>(), noted<kPositions>(), noted<kKeyEngine>(), noted<kRun>(),
       noted<kAsk>(), noted<kLabel>(), noted<kPaste>(), noted<kQuestions>(), noted<kKeySuite>(),
       noted<kKeyBudget>(), noted<kKeyTimeout>(), noted<kReportFormat>(), noted<kProgress>()},
      run_zobrist);
}

}  // namespace manyply
