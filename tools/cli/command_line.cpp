#include "tools/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <vector>

namespace manyply {
namespace {

using namespace arguments;

using Arguments = std::span<const std::string>;
using Commands = std::span<const Command>;

int run_divide(const Options& options, Io& io) {
  Options with_divide = options;
  with_divide.divide = true;
  return run_count(with_divide, io);
}

}  // namespace

std::span<const Command> local_commands() {
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
      {"stats",
       "Count captures, checks, mates and other kinds of moves in the last ply",
       "A column counts the moves of the last ply that are of its kind; a move may be of several.\n"
       "Captures include en passant; each promotion piece counts. A check or mate is direct (the "
       "man\n"
       "that moved attacks the king; of a castling move, king and rook have moved), discovered "
       "(one\n"
       "that did not), both, or double discovered (two that did not). Mates are not among the\n"
       "checks, as in The Grand Chess Tree's tables; 'with mates' is what the Chess Programming\n"
       "Wiki calls checks, and its double checks are 'both' and 'double discovered' together.\n"
       "Exit code: 0, 1 if the nodes differ from the published count, 2 on an error, 130 on Ctrl-C."
       "\n\n"
       "Examples:\n"
       "  perft stats 7\n"
       "  perft stats 4 --fen kiwipete --divide\n"
       "  perft stats 5 --format csv",
       run_stats,
       {kDepth, kFen, kMoves, kChess960, kDivide, kThreads, kKernel, kHash, kKeySeed, kKeyBits,
        kCheckpoint, kPlainFormat, kProgress}},
      {"unique",
       "Count the distinct positions of each ply",
       "Positions are the same if men, side to move, castling rights and a possible en passant\n"
       "capture are; clocks do not count. Whole boards are compared, so numbers are exact. What\n"
       "--memory does not hold is found in several passes; the ply before then lies in a "
       "temporary\n"
       "file, which is gone when the command ends, however it ends. --epd writes each position of\n"
       "the last ply with the number of paths that lead to it; they add up to perft(DEPTH). "
       "'known'\n"
       "compares both columns with published values. Exit code: 0, 1 if one differs, 2 on an "
       "error,\n"
       "130 on Ctrl-C.\n\n"
       "Examples:\n"
       "  perft unique 7\n"
       "  perft unique 8 --memory 4G --temp-dir /data/tmp\n"
       "  perft unique 3 --fen kiwipete --epd kiwipete-3.epd",
       run_unique,
       {kDepth, kFen, kMoves, kChess960, kEpdFile, kMemory, kTempDir, kThreads, kKernel,
        kPlainFormat, kProgress}},
      {"estimate",
       "Estimate counts that are out of reach",
       "Random walks, each weighted by the inverse of its probability (Knuth 1975), children "
       "chosen\n"
       "in proportion to their counts two plies deep, and the last four plies counted exactly. "
       "The\n"
       "estimate is unbiased; the true count lies inside the interval in about 99 of 100 cases.\n"
       "Seed and number of samples decide the result, threads do not.\n\n"
       "Examples:\n"
       "  perft estimate 16\n"
       "  perft estimate 20 --samples 1000000 --seed 7 --format json",
       run_estimate,
       {kDepth, kFen, kMoves, kChess960, kSamples, kSeed, kThreads, kKernel, kReportFormat,
        kProgress}},
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
      {"bisect",
       "Find the move that an engine's generator gets wrong",
       "Compares divides with the engine at depths 1, 2, ... DEPTH. Where they differ, goes down "
       "to\n"
       "the position whose own moves differ, and names the moves that the engine misses and "
       "invents\n"
       "there, the path to it, and the rule that is broken. Exit code: 0 if the engine agrees, 1 "
       "if\n"
       "not, 2 on an error (the engine crashes, hangs, contradicts itself or prints what is not\n"
       "understood), 130 on Ctrl-C.\n\n"
       "Examples:\n"
       "  perft bisect 5 --engine stockfish\n"
       "  perft bisect 4 --engine \"./my-engine --uci\" --fen kiwipete\n"
       "  perft bisect 4 --engine ./my-engine --suite tests/data/classic.epd --causes 5",
       run_bisect,
       {kDepth, kEngine, kFen, kMoves, kChess960, kSuite, kMaxNodes, kCauses, kDialect, kTimeout,
        kThreads, kKernel, kReportFormat, kProgress}},
      {"gen",
       "Write a suite of random positions with their counts",
       "EPD lines, FEN ;D1 20 ;D2 400, of different legal positions out of random games: for the\n"
       "tests of other generators. The same seed gives the same suite on every machine.\n\n"
       "Examples:\n"
       "  perft gen --positions 1000 --seed 7 > random.epd\n"
       "  perft gen --positions 50 --chess960 --depth 5",
       run_gen,
       {kGenPositions, kGenSeed, kFromChess960, kGenDepth, kThreads, kKernel}},
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
       "Check this build by one number, 86489390",
       "The leaves of a fixed list of positions, added up: 86489390 on every machine, with every\n"
       "kernel and any number of threads. Exit code: 0 if that is what this build counts, 1 if "
       "not\n"
       "(the build is broken, or --key-bits made false matches), 2 on an error, 130 on Ctrl-C.",
       run_signature,
       {kThreads, kKernel, kHash, kKeySeed, kKeyBits, kPlainFormat, kProgress}},
  };
  return commands;
}

namespace {

const Command* find_command(Commands commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

/// The command that `name` was probably meant to be: same beginning, or one letter off.
std::string suggestion(Commands commands, std::string_view name) {
  if (Depth::parse(name).ok()) return "; did you mean 'perft count " + std::string(name) + "'?";
  for (const Command& command : commands) {
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

Error unknown_command(Commands commands, const std::string& name) {
  constexpr std::array kOfTheServer{"serve", "submit", "status", "watch", "cancel"};
  if (std::ranges::find(kOfTheServer, name) != kOfTheServer.end()) {
    return bad_input("", "'" + name + "' is missing: this perft was built without its server");
  }
  return bad_input("", "unknown command '" + name + "'" + suggestion(commands, name));
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

ParsedCommandLine parse_command_line(Arguments arguments, Commands more) {
  std::vector<Command> commands(local_commands().begin(), local_commands().end());
  commands.insert(commands.end(), more.begin(), more.end());
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words.empty() && words[0] == "help") {  // `help count` is `count --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) return usage_error("no command given", "");
  if (words[0][0] != '-' && find_command(commands, words[0]) == nullptr)
    return unknown_command(commands, words[0]);
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
  for (const Command& command : commands) {
    CLI::App& sub = *app.add_subcommand(command.name, command.summary);
    sub.group("Commands")->footer(command.details);
    for (const Argument& argument : command.arguments) {
      declare(sub, argument, invocation.options, error);
    }
    sub.callback([&invocation, run = command.run] { invocation.run = run; });
  }

  const std::string command = find_command(commands, words[0]) != nullptr ? words[0] : "";
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
  if (error.code == ErrorCode::kCancelled && io.unheard()) return kExitOk;
  std::string line = error.code == ErrorCode::kCancelled ? "interrupted" : error.to_string();
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  io.err << "perft: " << line << '\n' << std::flush;
  return error.code == ErrorCode::kCancelled ? kExitInterrupted : kExitError;
}

int run_perft(Arguments arguments, Io& io, Commands more) try {
  ParsedCommandLine parsed = parse_command_line(arguments, more);
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
