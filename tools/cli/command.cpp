#include "tools/cli/command.h"

#include <algorithm>
#include <charconv>

#include "parallel/unique_job.h"

namespace manyply {

Error bad_input(std::string field, std::string message) {
  return {ErrorCode::kInvalidInput, std::move(field), 0, std::move(message)};
}

Error renamed(Error error, const char* field) {
  error.field = field;
  return error;
}

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
    return bad_input("", "'" + std::string(text) + "' is not a number from " + std::to_string(low) +
                             " to " + std::to_string(high));
  }
  return number;
}

namespace {

/// "24,28": widths of keys that collide often enough to count.
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

constexpr std::array kFormats{
    Choice<Format>{"text", Format::kText}, Choice<Format>{"json", Format::kJson},
    Choice<Format>{"csv", Format::kCsv}, Choice<Format>{"stockfish", Format::kStockfish}};
constexpr std::array kPlainFormats{kFormats[0], kFormats[1], kFormats[2]};
constexpr std::array kReportFormats{kFormats[0], kFormats[1]};
constexpr std::array kProgressModes{Choice<ProgressMode>{"auto", ProgressMode::kAuto},
                                    Choice<ProgressMode>{"never", ProgressMode::kNever},
                                    Choice<ProgressMode>{"json", ProgressMode::kJson}};

constexpr std::array kDialects{
    Choice<Dialect>{"auto", Dialect::kAuto}, Choice<Dialect>{"stockfish", Dialect::kStockfish},
    Choice<Dialect>{"lines", Dialect::kLines}, Choice<Dialect>{"juddperft", Dialect::kJudDperft}};

}  // namespace

namespace arguments {

constinit const Argument kDepth{"DEPTH", "", "number of plies, 0 to 64",
                                [](Options& o, const std::string& text) {
                                  return store(Depth::parse(text), o.depth, "depth");
                                }};
constinit const Argument kFenArgument{
    "FEN", "", "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete'",
    [](Options& o, const std::string& text) { return o.fen = text, accepted(); }};
constinit const Argument kValue{"VALUE", "", "the count to compare with",
                                [](Options& o, const std::string& text) {
                                  return store(NodeCount::parse(text), o.expected, "value");
                                }};
constinit const Argument kFile{
    "FILE", "", "EPD file, or - for standard input",
    [](Options& o, const std::string& text) { return o.file = text, accepted(); }};
constinit const Argument kFen{
    "--fen", "FEN",
    "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete'\n"
    "(default: startpos)",
    [](Options& o, const std::string& text) { return o.fen = text, o.has_fen = true, accepted(); }};
constinit const Argument kMoves{
    "--moves", "MOVES", "moves to play first, in quotes: \"e2e4 e7e5\"",
    [](Options& o, const std::string& text) { return o.moves = text, accepted(); }};
constinit const Argument kMovesArgument{
    "MOVES", nullptr, "moves to play first", [](Options& o, const std::string& text) {
      return o.moves += (o.moves.empty() ? "" : " ") + text, accepted();
    }};
constinit const Argument kChess960{
    "--chess960", nullptr,
    "write castling as king takes rook, even if the position does not need it",
    [](Options& o, const std::string&) { return o.chess960 = true, accepted(); }};
constinit const Argument kDivide{
    "--divide", nullptr, "show the count behind each root move",
    [](Options& o, const std::string&) { return o.divide = true, accepted(); }};
constinit const Argument kLoop{
    "--loop", nullptr, "count depths 1 to DEPTH, one after the other",
    [](Options& o, const std::string&) { return o.loop = true, accepted(); }};
constinit const Argument kThreads{
    "--threads", "N", "worker threads (default: every core that may be used)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 1, kMaxThreads), o.threads, "--threads");
    }};
constinit const Argument kKernel{"--kernel", "NAME", "", [](Options& o, const std::string& text) {
                                   return store(find_kernel(text), o.kernel, "--kernel");
                                 }};
constinit const Argument kHash{"--hash", "SIZE",
                               "table size such as 512M or 4G, or off (default: what the count\n"
                               "can use, at most half of the free memory)",
                               [](Options& o, const std::string& text) {
                                 return store(parse_table_size(text), o.hash.table_bytes, "--hash");
                               }};
constinit const Argument kKeyBits{
    "--key-bits", "B", "weak keys on purpose, of 8 to 128 bits (default: 128)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, KeySpec::kMinBits, KeySpec::kMaxBits), o.hash.key_bits,
                   "--key-bits");
    }};
constinit const Argument kKeySeed{
    "--key-seed", "N", "seed of the table's random keys", [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.hash.key_seed, "--key-seed");
    }};
constinit const Argument kCheckpoint{
    "--checkpoint", "FILE",
    "keep finished subtrees in this file: the same count, started again\n"
    "after it was killed, goes on from there",
    [](Options& o, const std::string& text) { return o.checkpoint = text, accepted(); }};
constinit const Argument kPin{
    "--pin", nullptr, "keep each thread on one core",
    [](Options& o, const std::string&) { return o.placement.pin_workers = true, accepted(); }};
constinit const Argument kInterleave{"--interleave", nullptr,
                                     "spread the table over all memory nodes (NUMA)",
                                     [](Options& o, const std::string&) {
                                       return o.placement.interleave_tables = true, accepted();
                                     }};
constinit const Argument kFormat{"--format", "FORMAT",
                                 "text, json, csv or stockfish (default: text)",
                                 [](Options& o, const std::string& text) {
                                   return store(choose(kFormats, text), o.format, "--format");
                                 }};
constinit const Argument kPlainFormat{"--format", "FORMAT", "text, json or csv (default: text)",
                                      [](Options& o, const std::string& text) {
                                        return store(choose(kPlainFormats, text), o.format,
                                                     "--format");
                                      }};
constinit const Argument kReportFormat{
    "--format", "FORMAT", "text or json (default: text)", [](Options& o, const std::string& text) {
      return store(choose(kReportFormats, text), o.format, "--format");
    }};
constinit const Argument kProgress{"--progress", "MODE",
                                   "auto (a line on stderr if it is a terminal), never,\n"
                                   "or json (lines on stderr; default: auto)",
                                   [](Options& o, const std::string& text) {
                                     o.progress_given = true;
                                     return store(choose(kProgressModes, text), o.progress,
                                                  "--progress");
                                   }};
constinit const Argument kSample{
    "--sample", "K", "recount only K randomly chosen subtrees (default: all)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 1, UINT64_MAX), o.verify.sample, "--sample");
    }};
constinit const Argument kSampleSeed{
    "--sample-seed", "N", "seed of that choice; of one seed, more include fewer (default: 1)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.sample_seed, "--sample-seed");
    }};
constinit const Argument kReseed{
    "--reseed", nullptr, "count a second time with other keys (needs memory for two tables)",
    [](Options& o, const std::string&) { return o.verify.reseed = true, accepted(); }};
constinit const Argument kKeyChecks{
    "--key-checks", "N",
    "incremental keys to compare with keys from scratch, in subtrees\n"
    "chosen at random (default: 20000000)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.verify.key_checks, "--key-checks");
    }};
constinit const Argument kCollisionBits{
    "--key-bits", "B,B", "widths of keys to measure collisions for (default: 24,28,32,36,40)",
    [](Options& o, const std::string& text) {
      return store(parse_widths(text), o.collision_bits, "--key-bits");
    }};
constinit const Argument kPositions{
    "--positions", "N", "measure among N distinct positions of random games (default: 2000000)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 2, UINT64_MAX), o.max_positions, "--positions");
    }};
constinit const Argument kMaxNodes{
    "--max-nodes", "N", "skip counts above N", [](Options& o, const std::string& text) {
      return store(NodeCount::parse(text), o.max_nodes, "--max-nodes");
    }};
constinit const Argument kMaxDepth{"--max-depth", "D", "skip counts deeper than D",
                                   [](Options& o, const std::string& text) {
                                     return store(Depth::parse(text), o.max_depth, "--max-depth");
                                   }};

constinit const Argument kEngine{
    "--engine", "CMD", "the engine's command line, for the shell; required",
    [](Options& o, const std::string& text) { return o.engine.command = text, accepted(); }};
constinit const Argument kDialect{
    "--dialect", "NAME",
    "how to ask the engine: stockfish (UCI: go perft N), lines (run as\n"
    "CMD DEPTH FEN [MOVES]), juddperft (run as CMD FEN DEPTH VALUE, tells\n"
    "by its exit code whether VALUE is right) or auto (default: auto)",
    [](Options& o, const std::string& text) {
      return store(choose(kDialects, text), o.engine.dialect, "--dialect");
    }};
constinit const Argument kTimeout{
    "--timeout", "S", "seconds the engine may take for each answer (default: 60)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 1, 86400), o.engine.timeout_seconds, "--timeout");
    }};
constinit const Argument kCauses{"--causes", "N",
                                 "go on until N different causes are found (default: 1)",
                                 [](Options& o, const std::string& text) {
                                   return store(parse_number(text, 1, 1000), o.causes, "--causes");
                                 }};
constinit const Argument kSuite{
    "--suite", "FILE", "every position of this EPD file, - for standard input",
    [](Options& o, const std::string& text) { return o.file = text, accepted(); }};
constinit const Argument kGenPositions{"--positions", "K", "number of positions (default: 100)",
                                       [](Options& o, const std::string& text) {
                                         return store(parse_number(text, 1, 100'000'000),
                                                      o.gen.positions, "--positions");
                                       }};
constinit const Argument kGenSeed{"--seed", "S", "another seed gives other positions (default: 1)",
                                  [](Options& o, const std::string& text) {
                                    return store(parse_number(text, 0, UINT64_MAX), o.gen.seed,
                                                 "--seed");
                                  }};
constinit const Argument kGenDepth{"--depth", "D",
                                   "counts of depths 1 to D, at most 64 (default: 4)",
                                   [](Options& o, const std::string& text) -> std::optional<Error> {
                                     if (text == "0")
                                       return bad_input("--depth", "must be at least 1");
                                     return store(Depth::parse(text), o.gen.depth, "--depth");
                                   }};
constinit const Argument kFromChess960{
    "--chess960", nullptr, "games begin with start positions of Chess960",
    [](Options& o, const std::string&) { return o.chess960 = true, accepted(); }};
constinit const Argument kSamples{"--samples", "K", "random walks, at least 100 (default: 10000)",
                                  [](Options& o, const std::string& text) {
                                    return store(parse_number(text, 100, 1'000'000'000'000),
                                                 o.samples, "--samples");
                                  }};
constinit const Argument kSeed{
    "--seed", "S", "seed of the random walks: the same seed, the same estimate (default: 1)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.seed, "--seed");
    }};
constinit const Argument kMemory{
    "--memory", "SIZE",
    "memory for positions, such as 512M or 4G, 1M at least\n"
    "(default: half of what is free)",
    [](Options& o, const std::string& text) -> std::optional<Error> {
      const Result<std::uint64_t> size = parse_table_size(text);
      if (!size || *size < UniqueSpec::kMinMemoryBytes) {
        return bad_input("--memory", "'" + text + "' is no size such as 512M or 4G, 1M at least");
      }
      o.unique.memory_bytes = *size;
      return accepted();
    }};
constinit const Argument kTempDir{
    "--temp-dir", "DIR",
    "where positions go that memory does not hold, 40 bytes each\n"
    "(default: $TMPDIR, or /var/tmp)",
    [](Options& o, const std::string& text) { return o.unique.temp_dir = text, accepted(); }};
constinit const Argument kEpdFile{
    "--epd", "FILE", "write the positions of the last ply, - for standard output",
    [](Options& o, const std::string& text) { return o.unique.epd_file = text, accepted(); }};

}  // namespace arguments
}  // namespace manyply
