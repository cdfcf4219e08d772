#include "tools/cli/framework/shared_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/position_text.h"
#include "hash/zobrist.h"
#include "parallel/jobs/job.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"

namespace manyply {

Error bad_input(std::string field, std::string message) {
  return {ErrorCode::kInvalidInput, std::move(field), 0, std::move(message)};
}

Error renamed(Error error, const char* field) {
  error.field = field;
  return error;
}

namespace {

/// A number such as "1_500.25G". Stores its digits without separators, the number of decimals, and
/// the unit.
struct WrittenNumber {
  std::string digits;
  std::size_t decimals = 0;
  std::string_view unit;
};

std::optional<WrittenNumber> read_written_number(std::string_view text) {
  WrittenNumber number;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool between =
        at > 0 && is_digit(text[at - 1]) && at + 1 < text.size() && is_digit(text[at + 1]);
    if (is_digit(c)) {
      number.digits += c;
      number.decimals += point ? 1 : 0;
    } else if (c == '.' && between && !point) {
      point = true;
    } else if (c != '_' || !between) {
      break;
    }
  }
  if (number.digits.empty()) return std::nullopt;
  number.unit = text.substr(at);
  return number;
}

/// Returns a whole number as plain digits: "1000000" for "1_000_000", "1e6" and "1M". Returns any
/// other `text` unchanged.
std::string plain_digits(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const std::optional<WrittenNumber> number = read_written_number(text);
  if (!number) return std::string(text);
  std::size_t zeros = 0;
  if (const std::string_view unit = number->unit; unit.size() == 1) {
    const std::size_t power = std::string_view("kMGT").find(unit == "K" ? 'k' : unit[0]);
    if (power == std::string_view::npos) return std::string(text);
    zeros = 3 * (power + 1);
  } else if (!unit.empty()) {
    const Result<std::uint64_t> exponent = parse_number(unit.substr(1), 0, kLongest);
    if (to_lower(unit[0]) != 'e' || !exponent) return std::string(text);
    zeros = static_cast<std::size_t>(*exponent);
  }
  if (number->decimals > zeros || number->digits.size() > kLongest) return std::string(text);
  std::string digits = number->digits + std::string(zeros - number->decimals, '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits;
}

constexpr std::string_view kSizeUnits = "KMGT";

/// Returns "8G" for 2^33, "953M" for 10^9.
std::string size_text(std::uint64_t bytes) {
  std::size_t unit = 1;
  bytes >>= 20;
  while (unit + 1 < kSizeUnits.size() && bytes % 1024 == 0) {
    bytes >>= 10;
    ++unit;
  }
  return std::to_string(bytes) + kSizeUnits[unit];
}

}  // namespace

Result<std::uint64_t> parse_table_size(std::string_view text) {
  const Error refusal =
      bad_input("size", "'" + std::string(text) + "' is not a size such as 512M, 1.5G or off");
  if (text == "off" || text == "0") return std::uint64_t{0};
  const std::optional<WrittenNumber> number = read_written_number(text);
  constexpr std::size_t kMostDecimals = 6;  // millionths of 2^40 fit into 64 bits
  if (!number || number->decimals > kMostDecimals) return refusal;
  int shift = 20;
  if (!number->unit.empty()) {
    const std::string unit = to_lower(number->unit);
    const std::size_t power = to_lower(kSizeUnits).find(unit[0]);
    const std::string rest = unit.substr(1);
    if (power == std::string::npos || (!rest.empty() && rest != "b" && rest != "ib"))
      return refusal;
    shift = 10 * (static_cast<int>(power) + 1);
  }
  const std::string_view digits = number->digits;
  const std::string_view whole_digits = digits.substr(0, digits.size() - number->decimals);
  const std::string_view part_digits = digits.substr(whole_digits.size());
  if (constexpr std::uint64_t kMostMebibytes = 1 << 20; number->unit.empty()) {
    const Result<std::uint64_t> bytes = parse_number(whole_digits, 0, UINT64_MAX);
    if (bytes && *bytes > kMostMebibytes) {
      return bad_input("size", "'" + std::string(text) +
                                   "' would be in MiB, as in UCI; for bytes, write " +
                                   size_text(*bytes));
    }
  }
  const Result<std::uint64_t> whole = parse_number(whole_digits, 0, UINT64_MAX >> (shift + 1));
  if (!whole) return refusal;
  std::uint64_t bytes = *whole << shift;
  if (!part_digits.empty()) {
    std::uint64_t scale = 1;
    for (std::size_t i = 0; i < part_digits.size(); ++i) scale *= 10;
    bytes += (*parse_number(part_digits, 0, scale) << shift) / scale;
  }
  if (bytes == 0) return refusal;
  return bytes;
}

Result<std::uint64_t> parse_table_size(std::string_view text, std::uint64_t least) {
  Result<std::uint64_t> size = parse_table_size(text);
  if (size && *size < least) return bad_input("", fmt::format("must be at least {}M", least >> 20));
  return size;
}

Result<std::uint64_t> parse_amount(std::string_view text, std::uint64_t low, std::uint64_t high) {
  const Result<std::uint64_t> number = parse_number(plain_digits(text), low, high);
  return number ? number : parse_number(text, low, high);  // the error quotes the text of the user
}

Result<NodeCount> parse_nodes(std::string_view text) {
  return NodeCount::parse(plain_digits(text));
}

namespace {

/// The first N entries of kFormats: 4 for commands that print divides, 3 for other commands that
/// print CSV, and 2 for all other commands.
template <std::size_t N>
constexpr auto kFirstFormats = [] {
  std::array<Choice<Format>, N> choices{};
  for (std::size_t i = 0; i < N; ++i) choices[i] = {kFormats[i].name, static_cast<Format>(i)};
  return choices;
}();
constexpr auto& kCountFormats = kFirstFormats<4>;
constexpr auto& kPlainFormats = kFirstFormats<3>;
constexpr auto& kReportFormats = kFirstFormats<2>;
constexpr std::array kProgressModes{Choice<ProgressMode>{"auto", ProgressMode::kAuto},
                                    Choice<ProgressMode>{"never", ProgressMode::kNever},
                                    Choice<ProgressMode>{"json", ProgressMode::kJson}};

std::optional<Error> take_fen(Question& question, const std::string& text) {
  question.fen = text;
  const PositionText position = position_text(text);
  const bool is_name = fen_of(position.fen) != position.fen;
  if (text.find('/') != std::string::npos || is_name || !position.moves.empty())
    return std::nullopt;
  const std::vector<std::string> names = words_of({ValueKind::kPosition});
  std::optional<std::string> meant = nearest(position.fen, names);
  if (!meant) meant = nearest(text, names);  // the user may have written "position 4"
  if (!meant) return std::nullopt;           // the parser of positions reports the error
  return bad_input("FEN", "'" + text + "' is not a position; did you mean '" + *meant + "'?");
}
std::optional<Error> take_kernel(CountOptions& count_options, const std::string& text) {
  return store(find_kernel(text), count_options.kernel, "--kernel");
}

}  // namespace

namespace flags {

constexpr Flag<Question> kDepth{"DEPTH", "", "number of plies, 0 to 64",
                                [](Question& question, const std::string& text) {
                                  return store(Depth::parse(text), question.depth, "depth");
                                }};
constexpr Flag<Question> kFenArgument{"FEN",
                                      "",
                                      "position: a FEN of 4 to 6 fields, quoted, or POSITIONS",
                                      take_fen,
                                      {ValueKind::kPosition}};
constexpr Flag<Question> kChess960{
    "--chess960", nullptr,
    "write castling as king takes rook, even if the position does not require it",
    switch_on<&Question::chess960>};
constexpr Flag<Question> kDivide{"--divide", nullptr, "also print the count of each root move",
                                 switch_on<&Question::divide>};
constexpr Flag<Question> kFen{
    "--fen",
    "FEN",
    "position: a FEN of 4 to 6 fields, quoted, or POSITIONS (default: startpos)",
    take_fen,
    {ValueKind::kPosition}};
constexpr Flag<Question> kMoves{"--moves", "MOVES",
                                R"(moves to play first, quoted: "e2e4 e7e5" or "1. e4 e5 2. Nf3")",
                                take_text<&Question::moves>};
constexpr std::array<Flag<Question>, 3> kPosition{kFen, kMoves, kChess960};

constexpr Flag<CountOptions> kThreads{"--threads", "N",
                                      "worker threads (default: all available cores)",
                                      take_number<&CountOptions::threads, 1, kMaxThreads>};
constexpr Flag<CountOptions> kKernel{"--kernel",
                                     "NAME",
                                     "counting kernel: KERNELS (default: auto)",
                                     take_kernel,
                                     {ValueKind::kKernel}};
constexpr Flag<CountOptions> kKeySeed{"--key-seed", "N", "seed for the table's random keys",
                                      take_number<&CountOptions::key_seed, 0, UINT64_MAX>};
constexpr std::array<Flag<CountOptions>, 5> kCounting{
    {kThreads,
     kKernel,
     {"--hash", "SIZE",
      "table size: 512M, 1.5G, a number of MiB, or off (default: as large as the count can use, at "
      "most half of the free memory)",
      [](CountOptions& count_options, const std::string& text) {
        return store(parse_table_size(text), count_options.table_bytes, "--hash");
      }},
     kKeySeed,
     {"--key-bits", "B",
      "number of key bits, 8 to 128; keys with few bits are weak, for tests (default: 128)",
      take_number<&CountOptions::key_bits, KeySpec::kMinBits, KeySpec::kMaxBits>}}};
constexpr Flag<CountOptions> kMemory{
    "--memory", "SIZE",
    "memory of the whole process in a count by configurations: 512M, 8G, or a number of MiB "
    "(default: about half of the free memory)",
    take_size<&CountOptions::memory_bytes, std::uint64_t{128} << 20>};

constexpr Flag<CountOptions> kPin{"--pin", nullptr, "keep each thread on one core",
                                  switch_on<&CountOptions::pin_workers>};
constexpr std::array<Flag<CountOptions>, 2> kPlacement{
    {kPin,
     {"--interleave", nullptr, "spread the table over all memory nodes (NUMA)",
      switch_on<&CountOptions::interleave_tables>}}};

constexpr Flag<Showing> kFormat{
    "--format", "FORMAT", "text, json, csv or stockfish (default: text)",
    take_choice<&Showing::format, kCountFormats>, names_of<kCountFormats>()};
constexpr Flag<Showing> kPlainFormat{"--format", "FORMAT", "text, json or csv (default: text)",
                                     take_choice<&Showing::format, kPlainFormats>,
                                     names_of<kPlainFormats>()};
constexpr Flag<Showing> kReportFormat{"--format", "FORMAT", "text or json (default: text)",
                                      take_choice<&Showing::format, kReportFormats>,
                                      names_of<kReportFormats>()};
constexpr Flag<Showing> kProgress{
    "--progress", "MODE",
    "auto (a line on stderr if it is a terminal), json (JSON on stderr) or never (default: auto)",
    [](Showing& showing, const std::string& text) {
      showing.progress_given = true;
      return store(choose(kProgressModes, text), showing.progress, "--progress");
    },
    names_of<kProgressModes>()};

}  // namespace flags

namespace {

constexpr std::array<std::string_view, 3> kDeviceNames{"cpu", "gpu", "list"};

std::optional<Error> take_device(DeviceOptions& options, const std::string& text) {
  constexpr std::size_t kMost = 63;
  options.lists_devices = text == "list";
  options.device.reset();
  if (text == "cpu" || text == "list") return accepted();
  options.device.emplace();
  if (text == "gpu") return accepted();
  const auto number = parse_number(text, std::size_t{0}, kMost);
  if (!number) {
    return bad_input("--device",
                     "'" + text + "' is not one of cpu, gpu, list, or a number from the list");
  }
  options.device->number = *number;
  return accepted();
}

}  // namespace

constexpr std::array<Flag<DeviceOptions>, 2> kDevice{{
    {"--device",
     "DEVICE",
     "count the last two plies on this device: cpu, gpu, or a number from the list that 'list' "
     "prints; experimental: exact in tests, but never run on a GPU (default: cpu)",
     take_device,
     {ValueKind::kAny, kDeviceNames}},
    {"--device-memory", "SIZE",
     "device memory that a count may use: 512M, 8G, or a number of MiB (default: most of the "
     "memory)",
     take_size<&DeviceOptions::device_bytes, std::uint64_t{1} << 20>},
}};

Result<std::unique_ptr<LastPliesDevice>> opened_device(const DeviceOptions& options) {
  if (!options.device) {
    if (options.device_bytes != 0) return bad_input("--device-memory", "requires --device gpu");
    return std::unique_ptr<LastPliesDevice>();
  }
  DeviceSpec spec = *options.device;
  spec.most_bytes = options.device_bytes;
  auto opened = open_device(spec);
  if (!opened) return renamed(opened.error(), "--device");
  return opened;
}

int print_devices(Io& io) {
  const auto devices = list_devices();
  if (!devices) return fail(io, renamed(devices.error(), "--device"));
  for (std::size_t i = 0; i < devices->size(); ++i) {
    const DeviceInfo& device = devices.value()[i];
    io.out << fmt::format("{}  {}  {}, driver {}, {} of memory, {} in one buffer\n", i,
                          device.is_gpu ? "gpu  " : "other", device.name, device.driver,
                          format_bytes(device.bytes), format_bytes(device.most_bytes));
  }
  io.out << std::flush;
  return kExitOk;
}

void note_unused_device(int depth, bool divide, Io& io) {
  // A divide of depth N consists of one count of depth N - 1 for each root move.
  const int least = divide && depth == kMinMatrixDepth ? kMinMatrixDepth + 1 : kMinMatrixDepth;
  if (depth < least) {
    io.err << fmt::format(
        "perft: --device: depth {} was counted on the processor, because the device is used for {} "
        "only from depth {} on\n",
        depth, least > kMinMatrixDepth ? "divides" : "totals", least);
  }
}

}  // namespace manyply
