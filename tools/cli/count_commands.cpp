#include <fmt/format.h>

#include <array>

#include "parallel/units/checkpoint_file.h"
#include "tools/cli/commands.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/cli/job_runner.h"
#include "tools/report/count_format.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

struct CountCommandOptions : Question, CountOptions, Showing, Keeping, DeviceOptions {
  bool loop = false;
  DivideDetails details;
};

/// Returns whether the output lists the root moves.
bool lists_moves(const CountCommandOptions& options) {
  return options.divide || options.format == Format::kCsv || options.format == Format::kStockfish;
}

/// Warns before a count that would take years.
void warn_of_endless(const Question& question, const CountCommandOptions& options, Io& io) {
  const auto leaves = endless_leaves(question, {.count_options = options, .stop = io.stop});
  if (!leaves || *leaves > kCertainOverflow) return;  // answer() refuses an overflow
  io.err << fmt::format(
      "perft: the count has about {:.0e} leaves and takes {:.0e} years at 10^15 leaves a second; "
      "'{} estimate' gives a better estimate\n",
      *leaves, *leaves / kLeavesOfAYear, io.program);
}

/// Adds to each move of the document the details that the user requested. If the details include
/// the replies, makes a divide after each move.
std::optional<Error> add_details(const Question& question, Answer& found,
                                 const CountCommandOptions& options, Io& io) {
  TableKeeper tables;
  const CountedDocument count = [&](const Line& line) -> Result<std::string> {
    Question behind = question;
    behind.line = line;
    behind.depth = Depth(question.depth.plies() - 1);
    Resources resources{.count_options = options};
    resources.tables = &tables;
    resources.one_of_many = true;
    const Result<Answer> answered =
        answer_and_show(behind, resources, options, io, line.uci_moves().back() + "  ");
    if (!answered) return answered.error();
    return answered->document;
  };
  Result<std::string> document = detailed(found.document, question.line, options.details, count);
  if (!document) return document.error();
  found.document = std::move(document).value();
  return std::nullopt;
}

/// Returns the line that is printed before a count in parts.
std::string plan_text(const PartsPlan& plan) {
  return fmt::format(
      "perft: counts in at least {} part{}{}, with up to {} of memory; takes about {}\n",
      plan.parts, plan.parts == 1 ? "" : "s",
      plan.resumed == 0 ? "" : fmt::format(", {} of them finished", plan.resumed),
      format_bytes(plan.bytes), duration(plan.seconds));
}

/// Returns whether a checkpoint stores parts of a count by configurations. Parts have totals, but
/// no divides.
bool stores_parts(const CountCommandOptions& options) {
  return options.method == Method::kConfigurations && !options.checkpoint.empty();
}

/// Returns whether a count that may choose its method must be hashed, because of its checkpoint:
/// parts have no divides, and a checkpoint of a hashed count continues.
bool checkpoint_needs_hashing(const CountCommandOptions& options) {
  return options.method == Method::kAuto && !options.checkpoint.empty() &&
         (lists_moves(options) || is_checkpoint_without_plan(options.checkpoint));
}

/// Returns an error if --checkpoint or --parts is not possible with the other options.
std::optional<Error> refused_parts(const CountCommandOptions& options) {
  if (!options.checkpoint.empty() && options.loop)
    return bad_input("--checkpoint", "stores a single count; leave out --loop");
  if (options.parts > 0 && options.method != Method::kConfigurations)
    return bad_input("--parts", "requires --method configurations");
  if (options.parts == 0 && !stores_parts(options)) return std::nullopt;
  const char* const flag = options.checkpoint.empty() ? "--parts" : "--checkpoint";
  if (stores_parts(options) && (options.divide || options.format == Format::kStockfish))
    return bad_input(
        flag,
        "stores only totals when counting by configurations; use 'perft count' without "
        "--divide, or --method hashed");
  if (options.depth.plies() < kMinMatrixDepth && !options.loop) {
    return bad_input(flag,
                     fmt::format("requires a depth of at least {} when counting by configurations",
                                 kMinMatrixDepth));
  }
  return std::nullopt;
}

/// Counts at one depth, or with --loop at each depth from 1 to that depth. Returns the largest exit
/// code of all depths. A checkpoint stores subtrees of a hashed count, or parts of a count by
/// configurations.
int run_count(const CountCommandOptions& asked, Io& io) {
  if (asked.lists_devices) return print_devices(io);
  CountCommandOptions options = asked;
  if (options.device) {
    if (options.method == Method::kHashed)
      return fail(io, bad_input("--device",
                                "requires a count by configurations; leave out --method hashed"));
    options.method = Method::kConfigurations;
  }
  Result<Question> validated_question = validated(options);
  if (!validated_question) return fail(io, validated_question.error());
  Question question = std::move(validated_question).value();
  if (const auto error = refused_parts(options)) return fail(io, *error);
  if (checkpoint_needs_hashing(options)) question.mode = CountMode::kHashed;

  Result<std::unique_ptr<LastPliesDevice>> opened = opened_device(options);
  if (!opened) return fail(io, opened.error());
  const std::unique_ptr<LastPliesDevice> device = std::move(opened).value();
  warn_of_endless(question, options, io);
  const int last = options.depth.plies();
  const bool as_table = options.loop && !options.divide && options.format == Format::kText;
  Resources resources{.count_options = options};
  resources.device = device.get();
  resources.divide = lists_moves(options) && !stores_parts(options);
  resources.on_parts = [&io](const PartsPlan& plan) { io.err << plan_text(plan) << std::flush; };
  // Explain why a table is used, unless the user has set its size.
  if (!options.table_bytes) {
    resources.on_fallback = [&io](const std::string& reason) {
      io.err << "perft: counts with a table instead of by configurations, which can take far "
                "longer: "
             << reason << "; allow more with --memory SIZE\n"
             << std::flush;
    };
  }
  int exit_code = kExitOk;
  bool hashed = false;
  for (int depth = options.loop ? std::min(1, last) : last; depth <= last && io.out; ++depth) {
    question.depth = Depth(depth);
    const std::string label = options.loop ? "depth " + std::to_string(depth) + "  " : "";
    Result<Answer> answered = answer_and_show(question, resources, options, io, label, options);
    if (!answered) return fail(io, answered.error());
    Answer found = std::move(answered).value();
    if (device != nullptr) note_unused_device(depth, resources.divide, io);
    if (options.details.any()) {
      if (auto error = add_details(question, found, options, io)) return fail(io, *error);
    }
    hashed |= found.hashed;
    int code = kExitOk;
    if (as_table) {
      io.out << (depth <= 1 ? loop_header() : "") << loop_row(found.document) << std::flush;
      code = exit_code_of(question, found, io);
    } else {
      code = print_answer(question, found, options, io);
    }
    exit_code = std::max(exit_code, code);
  }
  if (!hashed && options.method != Method::kConfigurations) note_unused_table(options, io);
  return exit_code;
}

/// Returns an error if the details of a divide are not possible with the other options.
std::optional<Error> contradiction_in(const CountCommandOptions& options) {
  if (!options.details.any()) return std::nullopt;
  const char* const flag = options.details.fens ? "--fens" : "--plies";
  if (options.format == Format::kStockfish)
    return bad_input(flag, "is not supported by the format stockfish");
  if (options.details.plies > options.depth.plies()) {
    return bad_input("--plies",
                     fmt::format("requires a depth of at least {}", options.details.plies));
  }
  if (options.loop) return bad_input(flag, "requires a single depth; leave out --loop");
  return std::nullopt;
}

int run_divide(const CountCommandOptions& options, Io& io) {
  if (auto error = contradiction_in(options)) return fail(io, *error);
  CountCommandOptions with_divide = options;
  with_divide.divide = true;
  return run_count(with_divide, io);
}

constexpr std::array kMethods{Choice<Method>{"auto", Method::kAuto},
                              Choice<Method>{"hashed", Method::kHashed},
                              Choice<Method>{"configurations", Method::kConfigurations}};
constexpr Flag<CountOptions> kMethod{
    "--method", "METHOD",
    "auto, hashed, or configurations (no table, no keys, no false matches) (default: auto)",
    [](CountOptions& count_options, const std::string& text) {
      if (text == "unhashed")
        return std::optional(bad_input("--method", "'unhashed' is not a method; use --hash off"));
      return store(choose(kMethods, text), count_options.method, "--method");
    },
    names_of<kMethods>()};

constexpr Flag<CountOptions> kParts{
    "--parts", "N",
    "count by configurations in N parts, one after the other (default: as few as memory allows)",
    take_number<&CountOptions::parts, 1, 10'000>};

constexpr Flag<CountCommandOptions> kPlies{
    "--plies", "N", "1, or 2 to also print the count of each reply (default: 1)",
    [](CountCommandOptions& options, const std::string& text) {
      return store(parse_number(text, 1, 2), options.details.plies, "--plies");
    }};
constexpr Flag<CountCommandOptions> kFens{"--fens", nullptr, "print the position after each move",
                                          [](CountCommandOptions& options, const std::string&) {
                                            return options.details.fens = true, accepted();
                                          }};
constexpr Flag<CountCommandOptions> kLoop{"--loop", nullptr, "count every depth from 1 to DEPTH",
                                          switch_on<&CountCommandOptions::loop>};

}  // namespace

Command count_command() {
  using namespace flags;
  return make_command<CountCommandOptions>(
      {.name = "count",
       .summary = "Count the legal move sequences of a given length",
       .about = R"(
Every total is compared with published values: 'known' is match, mismatch, or unknown if no value is
published. --checkpoint stores finished parts of a count by configurations. If the count is hashed,
or if the output lists the root moves, it stores finished subtrees of a hashed count instead. Exit
code: 0, 1 on a mismatch, 2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft count 6
perft count 5 kiwipete --divide
perft count 4 "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1" --format json
perft count 7 --loop --moves "e2e4 e7e5"
perft count 9 --method configurations
perft count 11 --checkpoint eleven.ckpt   # continues after a kill
perft count 10 --device gpu)"},
      {kDepth, kPosition, kDivide, kLoop, kMethod, kMemory, kParts, kDevice, kCounting, kCheckpoint,
       kPlacement, kFormat, kProgress},
      run_count);
}

Command divide_command() {
  using namespace flags;
  return make_command<CountCommandOptions>(
      {.name = "divide",
       .summary = "Count, and print the count of each root move",
       .about = R"(
Does the same as count --divide. --plies 2 also counts each reply separately, and checks that the
counts of the replies add up to the count of the move. With --parts, or if the matrices do not fit
into --memory, each root move is counted separately, in parts if necessary. --checkpoint selects the
hashed method.)",
       .examples = R"(
perft divide 5
perft divide 4 --plies 2 --fens
perft divide 5 --format stockfish   # what Stockfish's 'go perft 5' prints)"},
      {kDepth, kPosition, kPlies, kFens, kLoop, kMethod, kMemory, kParts, kDevice, kCounting,
       kCheckpoint, kPlacement, kFormat, kProgress},
      run_divide);
}

namespace {

struct PerftreeOptions : Question, CountOptions, Showing {};

int run_perftree(const PerftreeOptions& options, Io& io) {
  const Result<Question> question = validated(options, {.notation = CastlingNotation::kStandard});
  if (!question) return fail(io, question.error());
  const Result<Answer> found = answer_and_show(*question, {.count_options = options}, options, io);
  if (!found) return fail(io, found.error());
  io.out << divide_as_perftree(found->document);
  if (!found->hashed) note_unused_table(options, io);
  return kExitOk;
}

constexpr Flag<PerftreeOptions> kMovesArgument{
    "MOVES", nullptr, "moves to play first", [](PerftreeOptions& options, const std::string& text) {
      return options.moves += (options.moves.empty() ? "" : " ") + text, accepted();
    }};

}  // namespace

Command perftree_command() {
  using namespace flags;
  return make_command<PerftreeOptions>(
      {.name = "perftree",
       .summary = "Print a divide in the format of the debugger perftree",
       .about = R"(
Prints a line with move and count for each move, an empty line, and the total. Castling is written
as e1g1 unless --chess960 is given. Script for perftree:

  #!/bin/sh
  exec perft perftree "$@")"},
      {kDepth, kFenArgument, kMovesArgument, kChess960, kCounting, kProgress}, run_perftree);
}

namespace {

struct StatsOptions : Question, CountOptions, Showing, Keeping {
  StatsOptions() { mode = CountMode::kStatistics; }
};

int run_stats(const StatsOptions& options, Io& io) {
  return answer_and_print(options, {.count_options = options}, options, io, options);
}

constexpr Flag<StatsOptions> kDetails{
    "--details", nullptr,
    "also count stalemates, double pushes and castling by side; slower, because no table helps",
    switch_on<&StatsOptions::details>};

}  // namespace

Command stats_command() {
  using namespace flags;
  return make_command<StatsOptions>(
      {.name = "stats",
       .summary = "Count captures, checks, mates and other kinds of moves in the last ply",
       .about = R"(
Each column counts the moves of one kind in the last ply; a move may be of several kinds. Captures
include en passant captures. Promotions to different pieces are different moves. A check or mate is
direct (given by the piece that moved), discovered (given by another piece), both, or double
discovered (given by two other pieces). Castling moves king and rook, so both count as the piece
that moved. Checks do not include mates, as in the tables of The Grand Chess Tree. The Chess
Programming Wiki has other names: its checks are 'with mates' here, and its double checks are 'both'
and 'double discovered' together. Exit code: 0, 1 if the nodes differ from the published count, 2 on
an error, 130 on Ctrl-C.)",
       .examples = R"(
perft stats 7
perft stats 4 --fen kiwipete --divide
perft stats 5 --format csv)"},
      {kDepth, kPosition, kDivide, kDetails, kCounting, kCheckpoint, kPlainFormat, kProgress},
      run_stats);
}

namespace {

struct EstimateOptions : Question, CountOptions, Showing {
  EstimateOptions() { mode = CountMode::kEstimate; }
};

int run_estimate(const EstimateOptions& options, Io& io) {
  return answer_and_print(options, {.count_options = options}, options, io);
}

constexpr Flag<EstimateOptions> kSamples{
    "--samples", "K", "number of random walks, at least 100 (default: 10000)",
    take_amount<&EstimateOptions::samples, Question::kMinSamples, Question::kMaxSamples>};
constexpr Flag<EstimateOptions> kSeed{
    "--seed", "S", "seed for the random walks; the same seed gives the same estimate (default: 1)",
    take_number<&EstimateOptions::seed, 0, UINT64_MAX>};

}  // namespace

Command estimate_command() {
  using namespace flags;
  return make_command<EstimateOptions>(
      {.name = "estimate",
       .summary = "Estimate counts that are too large to compute",
       .about = R"(
Takes random walks and weights each walk by the inverse of its probability (Knuth 1975). Moves are
chosen in proportion to their counts two plies deep, and the last four plies are counted exactly.
The estimate is unbiased. In about 99 of 100 cases the interval contains the true count. The result
depends on seed and number of samples, not on the number of threads.)",
       .examples = R"(
perft estimate 16
perft estimate 20 --samples 1000000 --seed 7 --format json)"},
      {kDepth, kPosition, kSamples, kSeed, kThreads, kKernel, kReportFormat, kProgress},
      run_estimate);
}

namespace {

struct VerifyCommandOptions : Question, CountOptions, Showing, DeviceOptions {
  VerifyCommandOptions() { mode = CountMode::kVerify; }
  VerifyOptions verify;
  std::optional<std::uint64_t> sample_seed;
};

int run_verify(const VerifyCommandOptions& options, Io& io) {
  if (options.lists_devices) return print_devices(io);
  if (options.sample_seed && !options.verify.sample)
    return fail(io, bad_input("--sample-seed", "requires --sample"));
  Resources resources{.count_options = options, .verify = options.verify};
  resources.verify.sample_seed = options.sample_seed.value_or(options.verify.sample_seed);
  const Result<std::unique_ptr<LastPliesDevice>> device = opened_device(options);
  if (!device) return fail(io, device.error());
  resources.device = device->get();
  if (*device) note_unused_device(options.depth.plies(), false, io);
  return answer_and_print(options, resources, options, io);
}

constexpr std::array<Flag<VerifyCommandOptions>, 4> kVerifying{{
    {"--sample", "K", "recount only K random subtrees (default: all)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, UINT64_MAX), options.verify.sample, "--sample");
     }},
    {"--sample-seed", "N",
     "seed for --sample; for one seed, a larger sample contains all smaller samples (default: 1)",
     take_number<&VerifyCommandOptions::sample_seed, 0, UINT64_MAX>},
    {"--reseed", nullptr, "also count with other keys (needs memory for two tables)",
     [](VerifyCommandOptions& options, const std::string&) {
       return options.verify.reseed = true, accepted();
     }},
    {"--key-checks", "N",
     "number of incremental keys to compare with keys computed from scratch, in random subtrees "
     "(default: 20000000)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, UINT64_MAX), options.verify.key_checks, "--key-checks");
     }},
}};

}  // namespace

Command verify_command() {
  using namespace flags;
  return make_command<VerifyCommandOptions>(
      {.name = "verify",
       .summary = "Count hashed and unhashed, and explain any difference",
       .about = R"(
Counts with a table, then counts every subtree again without a table, and compares all counts. Also
compares incremental keys with keys from scratch, and the total with a third count by
configurations, which has neither keys nor subtrees. If counts differ, the report lists the root
moves and the smallest subtree that differ. It names the cause: a wrong incremental key, the table,
a kernel, the count by configurations, or the device. With --device, the total is also counted on
that device. --sample counts only some subtrees again; if the total is known to be wrong or differs
from the third count, the sample grows until it contains a difference. Exit code: 0 if all agree, 1
if not, 2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft verify 7
perft verify 9 --sample 1000 --reseed
perft verify 6 --key-bits 24    # weak keys, which give wrong counts
perft verify 8 --device gpu     # does the GPU count correctly?)"},
      {kDepth, kPosition, kVerifying, kDevice, kCounting, kReportFormat, kProgress}, run_verify);
}

}  // namespace manyply
