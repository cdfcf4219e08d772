#include "tools/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace manyply {
namespace {

using Arguments = std::span<const std::string>;

Error bad_input(std::string field, std::string message) {
  return {ErrorCode::kInvalidInput, std::move(field), 0, std::move(message)};
}

/// Errors of parsers that know no flags, told with the flag's name.
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

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
Result<T> choose(const std::array<Choice<T>, N>& choices, const std::string& text) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return bad_input("", "'" + text + "' is not one of " + names);
}

constexpr std::array kFormats{
    Choice<Format>{"text", Format::kText}, Choice<Format>{"json", Format::kJson},
    Choice<Format>{"csv", Format::kCsv}, Choice<Format>{"stockfish", Format::kStockfish}};
constexpr std::array kPlainFormats{kFormats[0], kFormats[1], kFormats[2]};
constexpr std::array kReportFormats{kFormats[0], kFormats[1]};
constexpr std::array kProgressModes{Choice<ProgressMode>{"auto", ProgressMode::kAuto},
                                    Choice<ProgressMode>{"never", ProgressMode::kNever},
                                    Choice<ProgressMode>{"json", ProgressMode::kJson}};

/// Puts a parsed value where it belongs, or says what is wrong with it.
template <typename T, typename Target>
std::optional<Error> store(const Result<T>& parsed, Target& target, const char* name) {
  if (!parsed) return renamed(parsed.error(), name);
  target = static_cast<Target>(*parsed);
  return std::nullopt;
}

/// A flag ("--threads") or a positional argument ("DEPTH"). `value` names the flag's value in the
/// help; a flag without one is a switch, and is given an empty text.
struct Argument {
  const char* name;
  const char* value;
  const char* help;
  std::optional<Error> (*take)(Options& options, const std::string& text);
};

std::optional<Error> accepted() { return std::nullopt; }

constexpr Argument kDepth{"DEPTH", "", "number of plies, 0 to 64",
                          [](Options& o, const std::string& text) {
                            return store(Depth::parse(text), o.depth, "depth");
                          }};
constexpr Argument kFenArgument{
    "FEN", "", "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete'",
    [](Options& o, const std::string& text) { return o.fen = text, accepted(); }};
constexpr Argument kValue{"VALUE", "", "the count to compare with",
                          [](Options& o, const std::string& text) {
                            return store(NodeCount::parse(text), o.expected, "value");
                          }};
constexpr Argument kFile{
    "FILE", "", "EPD file, or - for standard input",
    [](Options& o, const std::string& text) { return o.file = text, accepted(); }};
constexpr Argument kFen{
    "--fen", "FEN",
    "position, in quotes: a FEN of 4 to 6 fields, 'startpos' or 'kiwipete'\n"
    "(default: startpos)",
    [](Options& o, const std::string& text) { return o.fen = text, accepted(); }};
constexpr Argument kMoves{
    "--moves", "MOVES", "moves to play first, in quotes: \"e2e4 e7e5\"",
    [](Options& o, const std::string& text) { return o.moves = text, accepted(); }};
constexpr Argument kMovesArgument{
    "MOVES", nullptr, "moves to play first", [](Options& o, const std::string& text) {
      return o.moves += (o.moves.empty() ? "" : " ") + text, accepted();
    }};
constexpr Argument kChess960{
    "--chess960", nullptr,
    "write castling as king takes rook, even if the position does not need it",
    [](Options& o, const std::string&) { return o.chess960 = true, accepted(); }};
constexpr Argument kDivide{
    "--divide", nullptr, "show the count behind each root move",
    [](Options& o, const std::string&) { return o.divide = true, accepted(); }};
constexpr Argument kLoop{"--loop", nullptr, "count depths 1 to DEPTH, one after the other",
                         [](Options& o, const std::string&) { return o.loop = true, accepted(); }};
constexpr Argument kThreads{"--threads", "N",
                            "worker threads (default: every core that may be used)",
                            [](Options& o, const std::string& text) {
                              return store(parse_number(text, 1, 1024), o.threads, "--threads");
                            }};
constexpr Argument kKernel{"--kernel", "NAME", "", [](Options& o, const std::string& text) {
                             return store(find_kernel(text), o.kernel, "--kernel");
                           }};
constexpr Argument kHash{"--hash", "SIZE",
                         "table size such as 512M or 4G, or off (default: what the count\n"
                         "can use, at most half of the free memory)",
                         [](Options& o, const std::string& text) {
                           return store(parse_table_size(text), o.hash.table_bytes, "--hash");
                         }};
constexpr Argument kKeyBits{"--key-bits", "B",
                            "weak keys on purpose, of 8 to 128 bits (default: 128)",
                            [](Options& o, const std::string& text) {
                              return store(parse_number(text, KeySpec::kMinBits, KeySpec::kMaxBits),
                                           o.hash.key_bits, "--key-bits");
                            }};
constexpr Argument kKeySeed{
    "--key-seed", "N", "seed of the table's random keys", [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.hash.key_seed, "--key-seed");
    }};
constexpr Argument kCheckpoint{
    "--checkpoint", "FILE",
    "keep finished subtrees in this file: the same count, started again\n"
    "after it was killed, goes on from there",
    [](Options& o, const std::string& text) { return o.checkpoint = text, accepted(); }};
constexpr Argument kPin{
    "--pin", nullptr, "keep each thread on one core",
    [](Options& o, const std::string&) { return o.placement.pin_workers = true, accepted(); }};
constexpr Argument kInterleave{"--interleave", nullptr,
                               "spread the table over all memory nodes (NUMA)",
                               [](Options& o, const std::string&) {
                                 return o.placement.interleave_tables = true, accepted();
                               }};
constexpr Argument kFormat{"--format", "FORMAT", "text, json, csv or stockfish (default: text)",
                           [](Options& o, const std::string& text) {
                             return store(choose(kFormats, text), o.format, "--format");
                           }};
constexpr Argument kPlainFormat{"--format", "FORMAT", "text, json or csv (default: text)",
                                [](Options& o, const std::string& text) {
                                  return store(choose(kPlainFormats, text), o.format, "--format");
                                }};
constexpr Argument kReportFormat{"--format", "FORMAT", "text or json (default: text)",
                                 [](Options& o, const std::string& text) {
                                   return store(choose(kReportFormats, text), o.format, "--format");
                                 }};
constexpr Argument kProgress{"--progress", "MODE",
                             "auto (a line on stderr if it is a terminal), never,\n"
                             "or json (lines on stderr; default: auto)",
                             [](Options& o, const std::string& text) {
                               return store(choose(kProgressModes, text), o.progress, "--progress");
                             }};
constexpr Argument kSample{
    "--sample", "K", "recount only K randomly chosen subtrees (default: all)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 1, UINT64_MAX), o.verify.sample, "--sample");
    }};
constexpr Argument kSampleSeed{
    "--sample-seed", "N", "seed of that choice; of one seed, more include fewer (default: 1)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), o.verify.sample_seed, "--sample-seed");
    }};
constexpr Argument kReseed{
    "--reseed", nullptr, "count a second time with other keys (needs memory for two tables)",
    [](Options& o, const std::string&) { return o.verify.reseed = true, accepted(); }};
constexpr Argument kKeyChecks{"--key-checks", "N",
                              "incremental keys to compare with keys from scratch, in subtrees\n"
                              "chosen at random (default: 20000000)",
                              [](Options& o, const std::string& text) {
                                return store(parse_number(text, 0, UINT64_MAX), o.verify.key_checks,
                                             "--key-checks");
                              }};
constexpr Argument kCollisionBits{
    "--key-bits", "B,B", "widths of keys to measure collisions for (default: 24,28,32,36,40)",
    [](Options& o, const std::string& text) {
      return store(parse_widths(text), o.collision_bits, "--key-bits");
    }};
constexpr Argument kPositions{
    "--positions", "N", "measure among N distinct positions of random games (default: 2000000)",
    [](Options& o, const std::string& text) {
      return store(parse_number(text, 2, UINT64_MAX), o.max_positions, "--positions");
    }};
constexpr Argument kMaxNodes{"--max-nodes", "N", "skip counts above N",
                             [](Options& o, const std::string& text) {
                               return store(NodeCount::parse(text), o.max_nodes, "--max-nodes");
                             }};
constexpr Argument kMaxDepth{"--max-depth", "D", "skip counts deeper than D",
                             [](Options& o, const std::string& text) {
                               return store(Depth::parse(text), o.max_depth, "--max-depth");
                             }};

struct Command {
  const char* name;
  const char* summary;
  const char* details;  ///< shown below the options
  int (*run)(const Options& options, Io& io);
  std::vector<Argument> arguments;
};

int run_divide(const Options& options, Io& io) {
  Options with_divide = options;
  with_divide.divide = true;
  return run_count(with_divide, io);
}

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands{
      {"count",
       "Count the legal move paths of a given length",
       "Every total is compared with published values where there are any: 'known' says match,\n"
       "mismatch or unknown. Exit code: 0, 1 on a mismatch, 2 on an error, 130 on Ctrl-C.\n\n"
       "Examples:\n"
       "  perft count 6\n"
       "  perft count 5 --fen kiwipete --divide\n"
       "  perft count 4 --fen \"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1\" --format json\n"
       "  perft count 7 --loop --moves \"e2e4 e7e5\"\n"
       "  perft count 11 --checkpoint eleven.ckpt    # may be killed and started again",
       run_count,
       {kDepth, kFen, kMoves, kChess960, kDivide, kLoop, kThreads, kKernel, kHash, kKeySeed,
        kKeyBits, kCheckpoint, kPin, kInterleave, kFormat, kProgress}},
      {"divide",
       "Count, and show the count behind each root move",
       "The same as count --divide.\n\n"
       "Examples:\n"
       "  perft divide 5\n"
       "  perft divide 5 --format stockfish   # what Stockfish's 'go perft 5' prints",
       run_divide,
       {kDepth, kFen, kMoves, kChess960, kLoop, kThreads, kKernel, kHash, kKeySeed, kKeyBits,
        kCheckpoint, kPin, kInterleave, kFormat, kProgress}},
      {"verify",
       "Count hashed and unhashed, and explain any difference",
       "Counts with a table, then every subtree again without one, and compares them all; "
       "compares\n"
       "incremental keys with keys from scratch. A difference is traced to its cause: a wrong\n"
       "incremental key, two positions with one key, a corrupted table entry, or kernels that\n"
       "disagree. A sample grows until it meets a difference, if the total is known to be wrong.\n"
       "Exit code: 0 if all agree, 1 if not, 2 on an error, 130 on Ctrl-C.\n\n"
       "Examples:\n"
       "  perft verify 7\n"
       "  perft verify 9 --sample 1000 --reseed\n"
       "  perft verify 6 --key-bits 24    # weak keys: watch it fail",
       run_verify,
       {kDepth, kFen, kMoves, kChess960, kSample, kSampleSeed, kReseed, kKeyChecks, kThreads,
        kKernel, kHash, kKeySeed, kKeyBits, kReportFormat, kProgress}},
      {"compare",
       "Measure what hashing gains",
       "Counts with a table and without one: speeds, hit rate, speed-up. Exit code: 0, 1 if the\n"
       "counts differ, 2 on an error, 130 on Ctrl-C.\n\n"
       "Example:\n"
       "  perft compare 7",
       run_compare,
       {kDepth, kFen, kMoves, kChess960, kThreads, kKernel, kHash, kKeySeed, kKeyBits,
        kReportFormat, kProgress}},
      {"zobrist",
       "Audit the table's keys",
       "Looks for words that depend on each other, and counts real collisions of short keys among\n"
       "distinct positions, told apart by fingerprints, against what theory predicts. Exit code: "
       "0\n"
       "if everything is within its bounds, 1 if not, 2 on an error, 130 on Ctrl-C.\n"
       "A million positions take 200 MB.\n\n"
       "Examples:\n"
       "  perft zobrist\n"
       "  perft zobrist --key-bits 32,40 --positions 10000000",
       run_zobrist,
       {kFen, kMoves, kChess960, kKeySeed, kCollisionBits, kPositions, kReportFormat}},
      {"suite",
       "Check every count of an EPD file",
       "Each line is a position and its counts: FEN ;D1 20 ;D2 400. Spaces are free, # starts a\n"
       "comment, positions may be Chess960. Exit code: 0 if all counts match, 1 if any differs, 2\n"
       "if the file cannot be read.\n\n"
       "Examples:\n"
       "  perft suite tests/data/classic.epd --max-nodes 1000000000\n"
       "  grep kiwi my.epd | perft suite -",
       run_suite,
       {kFile, kMaxNodes, kMaxDepth, kThreads, kKernel, kHash, kKeySeed, kKeyBits, kPlainFormat,
        kProgress}},
      {"check",
       "Compare one count with a value",
       "Exit code: 0 if it matches, 1 if not, 2 on an error.\n\n"
       "Example:\n"
       "  perft check startpos 5 4865609",
       run_check,
       {kFenArgument, kDepth, kValue, kMoves, kChess960, kThreads, kKernel, kHash, kKeySeed,
        kKeyBits, kPlainFormat, kProgress}},
      {"perftree",
       "Print a divide the way the debugger perftree reads it",
       "Lines of move and count, an empty line, the total. Castling is written e1g1 unless\n"
       "--chess960 is given. As perftree's script:\n\n"
       "  #!/bin/sh\n"
       "  exec perft perftree \"$@\"",
       run_perftree,
       {kDepth, kFenArgument, kMovesArgument, kChess960, kThreads, kKernel, kHash, kKeySeed,
        kKeyBits, kProgress}},
      {"uci",
       "Speak UCI on standard input and output",
       "Answers uci, isready, setoption (UCI_Chess960, Threads, Hash), ucinewgame, position, d,\n"
       "go perft N, stop and quit. Tools that let Stockfish count can let this count instead.\n"
       "quit and the end of input wait for a running count; stop cancels it.\n\n"
       "Example:\n"
       "  echo \"go perft 5\" | perft uci",
       run_uci,
       {kThreads, kKernel, kChess960}},
      {"signature",
       "Print the fingerprint of this build",
       "The leaves of a fixed list of positions, added up: the same number on every machine, with\n"
       "every kernel and any number of threads. Another number means a broken build.",
       run_signature,
       {kThreads, kKernel, kHash, kKeySeed, kKeyBits, kPlainFormat, kProgress}},
  };
  return commands;
}

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(all_commands(), name, &Command::name);
  return found == all_commands().end() ? nullptr : &*found;
}

/// The command that `name` was probably meant to be: same beginning, or one letter off.
std::string suggestion(std::string_view name) {
  if (Depth::parse(name).ok()) return "; did you mean 'perft count " + std::string(name) + "'?";
  for (const Command& command : all_commands()) {
    const std::string_view other = command.name;
    const auto [a, b] = std::ranges::mismatch(name, other);
    const auto same = static_cast<std::size_t>(a - name.begin());
    const std::string_view rest_a = name.substr(same);
    const std::string_view rest_b = other.substr(same);
    const bool one_off =
        (!rest_a.empty() && rest_a.substr(1) == rest_b) ||
        (!rest_b.empty() && rest_a == rest_b.substr(1)) ||
        (!rest_a.empty() && !rest_b.empty() && rest_a.substr(1) == rest_b.substr(1));
    if (one_off || same >= 3) return "; did you mean '" + std::string(other) + "'?";
  }
  return "; 'perft --help' lists the commands";
}

bool has_space(std::string_view text) { return text.find(' ') != std::string_view::npos; }

/// A FEN that the shell took apart because its quotes were forgotten.
std::optional<Error> unquoted_fen(Arguments arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string& placement = arguments[i];
    const std::string& side = arguments[i + 1];
    if (std::ranges::count(placement, '/') != 7 || has_space(placement) ||
        (side != "w" && side != "b"))
      continue;
    std::string fen = placement;
    for (std::size_t j = i + 1;
         j < std::min(i + 6, arguments.size()) && arguments[j].substr(0, 2) != "--"; ++j) {
      fen += ' ' + arguments[j];
    }
    return bad_input("FEN", "put it in quotes: \"" + fen + "\"");
  }
  return std::nullopt;
}

std::string kernel_help() {
  std::string names = "auto";
  for (const Kernel& kernel : all_kernels()) names += ", " + std::string(kernel.name);
  return "counting kernel: " + names + " (default: auto)";
}

/// Declares `argument` to CLI11; what it is given ends in `options`, its first complaint in
/// `error`.
void declare(CLI::App& app, const Argument& argument, Options& options,
             std::optional<Error>& error) {
  const auto take = [&options, &error, read = argument.take](const std::string& text) {
    if (auto complaint = read(options, text); complaint && !error) error = std::move(complaint);
  };
  const std::string name = argument.name;
  const std::string help = name == "--kernel" ? kernel_help() : argument.help;
  const bool positional = name[0] != '-';
  if (positional && argument.value == nullptr) {  // any number of them
    app.add_option_function<std::vector<std::string>>(
           name,
           [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); },
           help)
        ->type_name("");
  } else if (positional) {
    app.add_option_function<std::string>(name, take, help)->required()->type_name("");
  } else if (argument.value == nullptr) {
    app.add_flag_callback(name, [take] { take({}); }, help);
  } else {
    app.add_option_function<std::string>(name, take, help)
        ->type_name(argument.value)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

Error usage_error(const std::string& message, const std::string& command) {
  const std::string help = command.empty() ? "--help" : command + " --help";
  return bad_input("", message.substr(0, message.find('\n')) + "; 'perft " + help + "' shows how");
}

Error unexpected(const std::string& word, const std::string& command) {
  const bool position =
      word == "startpos" || word == "kiwipete" || std::ranges::count(word, '/') == 7;
  if (position)
    return bad_input("", "'" + word + "' is not expected here; a position goes after --fen");
  return usage_error("'" + word + "' is not expected here", command);
}

}  // namespace

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

ParsedCommandLine parse_command_line(Arguments arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words.empty() && words[0] == "help") {  // `help count` is `count --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) return usage_error("no command given", "");
  if (words[0][0] != '-' && find_command(words[0]) == nullptr) {
    return bad_input("", "unknown command '" + words[0] + "'" + suggestion(words[0]));
  }
  if (auto error = unquoted_fen(words)) return *std::move(error);

  Invocation invocation;
  std::optional<Error> error;
  CLI::App app("Counts chess move paths (perft), exactly and on every core.", "perft");
  app.get_formatter()->column_width(22);
  for (const auto& [label, ours] :
       {std::pair{"SUBCOMMAND", "COMMAND"}, {"Positionals", "Arguments"}, {"REQUIRED", ""}}) {
    app.get_formatter()->label(label, ours);
  }
  app.set_help_flag("-h,--help", "this help");
  app.set_version_flag("-V,--version", "perft (Manyply) " MANYPLY_VERSION, "the version");
  app.footer("'perft COMMAND --help' tells more about a command.");
  app.require_subcommand(1);
  for (const Command& command : all_commands()) {
    CLI::App& sub = *app.add_subcommand(command.name, command.summary);
    sub.group("Commands")->footer(command.details);
    for (const Argument& argument : command.arguments) {
      declare(sub, argument, invocation.options, error);
    }
    sub.callback([&invocation, run = command.run] { invocation.run = run; });
  }

  const std::string command = find_command(words[0]) != nullptr ? words[0] : "";
  try {
    std::ranges::reverse(words);  // the order CLI11 takes a vector in
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ExtrasError& problem) {
    if (error) return *error;
    const std::vector<std::string> extra = app.remaining(true);
    return extra.empty() ? usage_error(problem.what(), command) : unexpected(extra[0], command);
  } catch (const CLI::ParseError& problem) {
    if (error) return *error;
    return usage_error(problem.what(), command);
  }
  if (error) return *error;
  return invocation;
}

int fail(Io& io, const Error& error) {
  std::string line = error.code == ErrorCode::kCancelled ? "interrupted" : error.to_string();
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  io.err << "perft: " << line << '\n' << std::flush;
  return error.code == ErrorCode::kCancelled ? kExitInterrupted : kExitError;
}

int run_perft(Arguments arguments, Io& io) try {
  ParsedCommandLine parsed = parse_command_line(arguments);
  if (const Error* error = std::get_if<Error>(&parsed)) return fail(io, *error);
  if (const std::string* text = std::get_if<std::string>(&parsed)) {
    io.out << *text;
    return kExitOk;
  }
  const Invocation& invocation = std::get<Invocation>(parsed);
  return invocation.run(invocation.options, io);
} catch (const std::bad_alloc&) {
  return fail(io, {ErrorCode::kUnavailable, "", 0, "out of memory"});
} catch (const std::exception& problem) {
  return fail(io, {ErrorCode::kInternal, "internal error", 0, problem.what()});
}

}  // namespace manyply
