#include "tools/cli/engine_asking.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/command/printable.h"
#include "tools/command/progress_display.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kDialects{
    Choice<Dialect>{"auto", Dialect::kAuto}, Choice<Dialect>{"stockfish", Dialect::kStockfish},
    Choice<Dialect>{"lines", Dialect::kLines}, Choice<Dialect>{"juddperft", Dialect::kJudDperft}};

}  // namespace

constexpr Flag<Asking> kEngine{"--engine",
                               "CMD",
                               "the engine's command line, for the shell",
                               [](Asking& asking, const std::string& text) {
                                 return asking.engine.command = text, accepted();
                               },
                               {ValueKind::kProgram}};
constexpr std::array<Flag<Asking>, 2> kAsking{{
    {"--dialect", "NAME",
     "how to ask the engine: stockfish (UCI: go perft N), lines (run as CMD DEPTH FEN [MOVES]), "
     "juddperft (run as CMD FEN DEPTH VALUE, tells by its exit code whether VALUE is right) or "
     "auto (default: auto)",
     [](Asking& asking, const std::string& text) {
       asking.dialect_given = true;
       return store(choose(kDialects, text), asking.engine.dialect, "--dialect");
     },
     names_of<kDialects>()},
    {"--timeout", "S", "seconds the engine may take for each answer (default: 60)",
     [](Asking& asking, const std::string& text) {
       asking.timeout_given = true;
       return store(parse_number(text, 1, 86400), asking.engine.timeout_seconds, "--timeout");
     }},
}};

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
  return bad_input("", fmt::format("'{}' is neither a number of {}, such as 1e9, nor a time, such "
                                   "as 90s, 10min or 1h",
                                   text, what));
}

QuestionDisplay::QuestionDisplay(ProgressMode mode, Io& io)
    : io_(io),
      shows_(mode == ProgressMode::kAuto && io.terminal_columns > 0),
      json_(mode == ProgressMode::kJson) {}

QuestionDisplay::~QuestionDisplay() { wipe(); }

void QuestionDisplay::wipe() {
  if (shows_ && asked_ > 0) io_.err << kWipeLine << std::flush;
}

void QuestionDisplay::operator()(Depth depth, const std::string& details, const Json& event) {
  ++asked_;
  if (json_) {
    Json line{{"event", "question"}, {"number", asked_}, {"depth", depth.plies()}};
    line.update(event);
    io_.err << json_line(line) << std::flush;
  } else if (shows_) {
    const std::string text = fmt::format("question {}, depth {}{}", asked_, depth.plies(), details);
    io_.err << kWipeLine << fitted(text, io_.terminal_columns) << std::flush;
  }
}

std::string engine_text(const EngineSpec& spec, const Engine& engine) {
  std::string text = engine.name();
  if (text != spec.command) text += fmt::format(" ({})", printable(spec.command));
  text += fmt::format(", dialect {}", to_string(engine.dialect()));
  if (!engine.divides()) text += ", tells no moves";
  if (!engine.plays_moves()) text += ", is told each position as a FEN";
  return text;
}

Json engine_json(const EngineSpec& spec, const Engine& engine) {
  return {{"command", spec.command},
          {"name", engine.name()},
          {"dialect", to_string(engine.dialect())},
          {"divides", engine.divides()},
          {"plays_moves", engine.plays_moves()},
          {"questions", engine.questions()},
          {"stderr", engine.errors()}};
}

void show_engine_errors(const std::string& errors, Io& io) {
  if (errors.empty()) return;
  io.err << "perft: the engine's standard error ends with:\n";
  for (std::size_t at = 0; at < errors.size();) {
    const std::size_t end = errors.find('\n', at);
    io.err << "  | " << printable(errors.substr(at, end - at)) << '\n';
    at = end + 1;
  }
  io.err << std::flush;
}

}  // namespace manyply
