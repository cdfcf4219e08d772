#include "tools/cli/engine_asking.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tools/cli/framework/io.h"
#include "tools/engine/engine_protocol.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kDialects{Choice<Dialect>{"auto", Dialect::kAuto},
                               Choice<Dialect>{"stockfish", Dialect::kStockfish},
                               Choice<Dialect>{"divide", Dialect::kDivide},
                               Choice<Dialect>{"perft", Dialect::kPerft},
                               Choice<Dialect>{"xboard", Dialect::kXboard},
                               Choice<Dialect>{"lines", Dialect::kLines},
                               Choice<Dialect>{"juddperft", Dialect::kJudDperft}};

/// Records that the flag was given. Returns `error`.
std::optional<Error> note(Asking& asking, const char* flag, std::optional<Error> error = {}) {
  asking.given.emplace_back(flag);
  return error;
}

}  // namespace

constexpr Flag<Asking> kEngine{"--engine",
                               "CMD",
                               "the engine's shell command",
                               [](Asking& asking, const std::string& text) {
                                 asking.engine.command = text;
                                 return note(asking, "--engine");
                               },
                               {ValueKind::kProgram}};
constexpr std::array<Flag<Asking>, 4> kAsking{{
    {"--run",
     "CMD",
     "a program that is run once per question; {fen}, {depth} and {moves} in CMD are replaced",
     [](Asking& asking, const std::string& text) {
       asking.engine.command = text;
       return note(asking, "--run");
     },
     {ValueKind::kProgram}},
    {"--ask", "TEXT",
     "the engine's command for a count, such as 'perft {depth}' (default: detected); if it "
     "contains {fen} and {moves}, no position command is sent first; \\n separates lines",
     [](Asking& asking, const std::string& text) {
       asking.engine.ask = text;
       return note(asking, "--ask");
     }},
    {"--dialect", "NAME",
     "the engine's protocol: stockfish (UCI: go perft N), divide or perft (UCI with that word), "
     "xboard (setboard FEN, divide N), lines (run as CMD DEPTH FEN [MOVES]), juddperft (run as CMD "
     "FEN DEPTH VALUE, exits with 0 if VALUE is right) or auto (default: auto)",
     [](Asking& asking, const std::string& text) {
       return note(asking, "--dialect",
                   store(choose(kDialects, text), asking.engine.dialect, "--dialect"));
     },
     names_of<kDialects>()},
    {"--timeout", "S", "time limit for each answer of the engine, in seconds (default: 60)",
     [](Asking& asking, const std::string& text) {
       return note(asking, "--timeout",
                   store(parse_number(text, 1, 86400), asking.engine.timeout_seconds, "--timeout"));
     }},
}};

std::optional<Error> contradiction_in(const Asking& asking) {
  const auto is_template = [&](std::string_view place) {
    return has_place(asking.engine.command, place);
  };
  if (asking.engine.command.empty()) {
    for (const char* flag : {"--ask", "--dialect", "--timeout"}) {
      if (asking.was_given(flag)) return bad_input(flag, "requires --engine");
    }
    return std::nullopt;
  }
  if (asking.was_given("--run") && asking.was_given("--engine"))
    return bad_input("--run", "cannot be combined with --engine; give one of them");
  if (asking.was_given("--run") && (!is_template(kFenPlace) || !is_template(kDepthPlace)))
    return bad_input("--run", "must contain {fen} and {depth}");
  const bool runs = is_template(kFenPlace);
  if (runs && !is_template(kDepthPlace))
    return bad_input("--engine", "contains {fen}, so it must also contain {depth}");
  if (asking.was_given("--dialect") && (runs || asking.was_given("--ask")))
    return bad_input("--dialect",
                     runs ? "cannot be combined with a command that contains {fen}"
                          : "cannot be combined with --ask, which sets the engine's commands");
  if (!asking.was_given("--ask")) return std::nullopt;
  if (runs) return bad_input("--ask", "cannot be combined with --run");
  if (!has_place(asking.engine.ask, kDepthPlace)) return bad_input("--ask", "must contain {depth}");
  return std::nullopt;
}

std::optional<Error> no_divide(Depth depth) {
  if (depth.plies() > 0) return std::nullopt;
  return bad_input("depth", "must be at least 1 for a divide");
}

Result<Budget> parse_budget(const std::string& text, std::string_view what) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"min", 60.0}, {"h", 3600.0}, {"s", 1.0}}};
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const Result<std::uint64_t> number =
        parse_number(text.substr(0, text.size() - unit.size()), 1, 1'000'000);
    if (number)
      return Budget{{}, std::chrono::duration<double>(seconds * static_cast<double>(*number))};
  }
  const Result<NodeCount> nodes = parse_nodes(text);
  if (nodes) return Budget{*nodes, {}};
  return bad_input(
      "",
      fmt::format("'{}' is neither a number of {} (1e9) nor a time (90s, 10min, 1h)", text, what));
}

void QuestionDisplay::operator()(Depth depth, const std::string& details, const Json& event) {
  ++asked_;
  if (mode_ == ProgressMode::kJson) {
    Json line{{"event", "question"}, {"number", asked_}, {"depth", depth.plies()}};
    line.update(event);
    io_.err << json_line(line) << std::flush;
  } else {
    line_.show(fmt::format("question {}, depth {}{}", asked_, depth.plies(), details));
  }
}

Result<std::unique_ptr<Engine>> open_engine(const EngineSpec& spec, ProgressMode mode, Io& io) {
  EngineWords said;
  Result<std::unique_ptr<Engine>> engine = [&] {
    const QuestionDisplay display(mode, io);
    return Engine::open(spec, io.stop, said);
  }();
  if (!engine && engine.error().code != ErrorCode::kCancelled) show_engine_words(said, io);
  return engine;
}

std::string engine_text(const EngineSpec& spec, const Engine& engine) {
  std::string text = engine.name();
  if (text != spec.command) text += fmt::format(" ({})", printable(spec.command));
  text += fmt::format(", dialect {}", to_string(engine.dialect()));
  if (engine.dialect() == Dialect::kAsk)
    text += fmt::format(", asked '{}'", printable(engine.ask_text()));
  if (!engine.divides()) text += ", prints no moves";
  if (!engine.plays_moves()) text += ", receives each position as a FEN";
  return text;
}

Json engine_json(const EngineSpec& spec, const Engine& engine) {
  return {{"command", spec.command},
          {"name", engine.name()},
          {"dialect", to_string(engine.dialect())},
          {"divides", engine.divides()},
          {"plays_moves", engine.plays_moves()},
          {"questions", engine.questions()},
          {"stderr", engine.words().errors}};
}

void show_engine_errors(const std::string& errors, Io& io) {
  if (errors.empty()) return;
  io.err << "perft: the engine's standard error ends with:\n";
  for (std::string_view rest = errors; !rest.empty();)
    io.err << "  | " << printable(cut_line(rest)) << '\n';
  io.err << std::flush;
}

void show_engine_words(const EngineWords& words, Io& io) {
  if (!words.printed.empty()) {
    io.err << "perft: the engine's last lines are:\n";
    constexpr std::size_t kWidest = 200;
    for (const std::string& line : words.printed)
      io.err << "  | " << printable(line.substr(0, kWidest)) << '\n';
  }
  show_engine_errors(words.errors, io);
  io.err << std::flush;
}

}  // namespace manyply
