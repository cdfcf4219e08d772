#include "tools/command/flags.h"

#include "hash/zobrist.h"
#include "parallel/job.h"

namespace manyply {

Error bad_input(std::string field, std::string message) {
  return {ErrorCode::kInvalidInput, std::move(field), 0, std::move(message)};
}

Error renamed(Error error, const char* field) {
  error.field = field;
  return error;
}

Result<std::uint64_t> parse_table_size(std::string_view text) {
  const Error refusal =
      bad_input("size", "'" + std::string(text) + "' is no size such as 512M, 4G or off");
  if (text == "off") return std::uint64_t{0};
  constexpr std::string_view kUnits = "KMGT";
  int shift = 0;
  std::string_view digits = text;
  if (!digits.empty()) {
    if (const std::size_t unit = kUnits.find(digits.back()); unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      digits.remove_suffix(1);
    }
  }
  const Result<std::uint64_t> number = parse_number(digits, 1, UINT64_MAX >> shift);
  if (!number) return refusal;
  return *number << shift;
}

namespace {

constexpr std::array kFormats{
    Choice<Format>{"text", Format::kText}, Choice<Format>{"json", Format::kJson},
    Choice<Format>{"csv", Format::kCsv}, Choice<Format>{"stockfish", Format::kStockfish}};
constexpr std::array kPlainFormats{kFormats[0], kFormats[1], kFormats[2]};
constexpr std::array kReportFormats{kFormats[0], kFormats[1]};
constexpr std::array kProgressModes{Choice<ProgressMode>{"auto", ProgressMode::kAuto},
                                    Choice<ProgressMode>{"never", ProgressMode::kNever},
                                    Choice<ProgressMode>{"json", ProgressMode::kJson}};

std::optional<Error> take_fen(Question& question, const std::string& text) {
  return question.fen = text, accepted();
}
std::optional<Error> take_threads(Means& means, const std::string& text) {
  return store(parse_number(text, 1, kMaxThreads), means.threads, "--threads");
}
std::optional<Error> take_kernel(Means& means, const std::string& text) {
  return store(find_kernel(text), means.kernel, "--kernel");
}
std::optional<Error> take_key_seed(Means& means, const std::string& text) {
  return store(parse_number(text, 0, UINT64_MAX), means.key_seed, "--key-seed");
}
std::optional<Error> take_chess960(Question& question, const std::string&) {
  return question.chess960 = true, accepted();
}
template <const auto& kChoices>
std::optional<Error> take_format(Showing& showing, const std::string& text) {
  return store(choose(kChoices, text), showing.format, "--format");
}

}  // namespace

namespace flags {

constexpr Flag<Question> kDepth{"DEPTH", "", "number of plies, 0 to 64",
                                [](Question& question, const std::string& text) {
                                  return store(Depth::parse(text), question.depth, "depth");
                                }};
constexpr Flag<Question> kFenArgument{
    "FEN", "", "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete'", take_fen};
constexpr Flag<Question> kChess960{
    "--chess960", nullptr,
    "write castling as king takes rook, even if the position does not need it", take_chess960};
constexpr Flag<Question> kDivide{
    "--divide", nullptr, "show the count behind each root move",
    [](Question& question, const std::string&) { return question.divide = true, accepted(); }};
constexpr Flag<Question> kFen{
    "--fen", "FEN",
    "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete' (default: startpos)",
    take_fen};
constexpr Flag<Question> kMoves{
    "--moves", "MOVES", R"(moves to play first, in quotes: "e2e4 e7e5")",
    [](Question& question, const std::string& text) { return question.moves = text, accepted(); }};
constexpr std::array<Flag<Question>, 3> kPosition{kFen, kMoves, kChess960};

constexpr Flag<Means> kThreads{
    "--threads", "N", "worker threads (default: every core that may be used)", take_threads};
constexpr Flag<Means> kKernel{"--kernel", "NAME", "counting kernel: KERNELS (default: auto)",
                              take_kernel};
constexpr Flag<Means> kKeySeed{"--key-seed", "N", "seed of the table's random keys", take_key_seed};
constexpr std::array<Flag<Means>, 5> kCounting{
    {kThreads,
     kKernel,
     {"--hash", "SIZE",
      "table size such as 512M or 4G, or off (default: what the count can use, at most half of the "
      "free memory)",
      [](Means& means, const std::string& text) {
        return store(parse_table_size(text), means.table_bytes, "--hash");
      }},
     kKeySeed,
     {"--key-bits", "B", "weak keys on purpose, of 8 to 128 bits (default: 128)",
      [](Means& means, const std::string& text) {
        return store(parse_number(text, KeySpec::kMinBits, KeySpec::kMaxBits), means.key_bits,
                     "--key-bits");
      }}}};
constexpr std::array<Flag<Means>, 2> kPlacement{
    {{"--pin", nullptr, "keep each thread on one core",
      [](Means& means, const std::string&) { return means.pin_workers = true, accepted(); }},
     {"--interleave", nullptr, "spread the table over all memory nodes (NUMA)",
      [](Means& means, const std::string&) {
        return means.interleave_tables = true, accepted();
      }}}};

constexpr Flag<Showing> kFormat{
    "--format", "FORMAT", "text, json, csv or stockfish (default: text)", take_format<kFormats>};
constexpr Flag<Showing> kPlainFormat{"--format", "FORMAT", "text, json or csv (default: text)",
                                     take_format<kPlainFormats>};
constexpr Flag<Showing> kReportFormat{"--format", "FORMAT", "text or json (default: text)",
                                      take_format<kReportFormats>};
constexpr Flag<Showing> kProgress{
    "--progress", "MODE",
    "auto (a line on stderr if it is a terminal), never, or json (lines on stderr; default: auto)",
    [](Showing& showing, const std::string& text) {
      showing.progress_given = true;
      return store(choose(kProgressModes, text), showing.progress, "--progress");
    }};

}  // namespace flags
}  // namespace manyply
