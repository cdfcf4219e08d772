// `perft diff`: compares a divide that the user pastes with ours.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/diff_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/framework/console.h"
#include "tools/cli/framework/input_file.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/rows.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

struct DiffOptions : Question, Limits, Showing {
  std::string file = "-";
  std::optional<bool> right_as_fen;
};

/// One run of the command: reads the divides, counts ours, prints the comparison.
class PasteDiff {
 public:
  PasteDiff(const DiffOptions& options, Io& io) : options_(options), io_(io) {}

  int run() {
    if (auto error = no_divide(options_.depth)) return fail(io_, *error);
    const Result<Question> question = validated(options_);
    if (!question) return fail(io_, question.error());
    const Line& line = question->line;
    const Result<std::string> text = pasted();
    if (!text) return fail(io_, text.error());
    const OurDivide divide = [this](const Line& at, Depth depth) { return our_divide(at, depth); };
    auto divides = parse_pasted_divides(*text, line, options_.depth, divide);
    if (!divides) return fail(io_, divides.error());

    std::vector<Compared> compared;
    for (const PastedDivide& pasted : *divides) {
      const auto ours = our_divide(line, pasted.depth);
      if (!ours) return fail(io_, ours.error());
      compared.push_back(
          {pasted.depth, read_json(diff_document(line, pasted.depth, *ours, pasted.answer,
                                                 options_.right_as_fen, divide))});
    }
    print(line, compared);
    const bool all = std::ranges::all_of(compared, &Compared::agrees);
    return all ? kExitOk : kExitMismatch;
  }

 private:
  /// A pasted divide and its diff_document().
  struct Compared {
    Depth depth;
    Json document;

    /// Returns whether all rows, and the total if present, agree.
    [[nodiscard]] bool agrees() const {
      const Json& total = document.at("pasted_total");
      const bool whole = total.is_null() || total == document.at("pasted_sum");
      return document.at("agrees").get<bool>() && whole;
    }
  };

  /// Reads the pasted text; on a terminal, first tells the user how to end it.
  Result<std::string> pasted() {
    const std::string& file = options_.file;
    if (file == "-" && console::is_terminal(io_.input)) {
      io_.err << "perft: paste the divide that your program prints, then press "
              << console::keys_that_end_input() << " to end the input\n"
              << std::flush;
    }
    return read_input(file, io_);
  }

  Result<std::vector<DivideEntry>> our_divide(const Line& line, Depth depth) {
    Result<Report> report = counts_.count(question_of(line.named(), depth), io_.stop);
    if (!report) return report.error();
    return std::move(report).value().divide;
  }

  /// Prints all comparisons as JSON, or as text those that agree and the first that differs.
  void print(const Line& line, const std::vector<Compared>& compared) {
    if (options_.format == Format::kJson) {
      Json json{{"fen", line.start_fen()}, {"moves", line.uci_moves()}};
      json["agrees"] = std::ranges::all_of(compared, &Compared::agrees);
      json["divides"] = Json::array();
      for (const Compared& one : compared) {
        json["divides"].push_back({{"depth", one.depth.plies()}});
        json["divides"].back().update(one.document);
      }
      io_.out << json_line(json);
      return;
    }
    std::string text = report_row("position", line.start_fen());
    if (!line.moves().empty())
      text += report_row("moves", fmt::format("{}", fmt::join(line.uci_moves(), " ")));
    // The shallowest difference is the most informative; deeper ones may follow from it.
    const auto first = std::ranges::find_if_not(compared, &Compared::agrees);
    for (auto one = compared.begin(); one != first; ++one) {
      if (first != compared.end() || compared.size() > 1)
        text += report_row("agrees", agreement_text(one->document, one->depth));
    }
    const auto& shown = first == compared.end() ? compared.back() : *first;
    if (!shown.agrees()) text += report_row("depth", std::to_string(shown.depth.plies())) + '\n';
    if (first != compared.end() || compared.size() == 1)
      text +=
          named_as(io_.program, diff_text(shown.document, line, shown.depth, io_.terminal_columns));
    const bool incomplete = first != compared.end() && is_incomplete(shown.document);
    io_.out << text
            << report_row("verdict", incomplete                ? "incomplete"
                                     : first == compared.end() ? "agrees"
                                                               : "DIFFERS");
  }

  const DiffOptions& options_;
  Io& io_;
  OneByOne counts_{options_};
};

int run_diff(const DiffOptions& options, Io& io) { return PasteDiff(options, io).run(); }

constexpr Flag<DiffOptions> kPasteFile{
    "FILE",
    "?",
    "file with the output of your program (default: standard input)",
    [](DiffOptions& options, const std::string& text) { return options.file = text, accepted(); },
    {ValueKind::kFile}};
constexpr std::array kAsFenVerdicts{Choice<bool>{"right", true}, Choice<bool>{"wrong", false}};
constexpr Flag<DiffOptions> kAsFen{
    "--as-fen", "VERDICT",
    "right or wrong: your program's result for this position given as a FEN without moves",
    [](DiffOptions& options, const std::string& text) {
      return store(choose(kAsFenVerdicts, text), options.right_as_fen, "--as-fen");
    },
    names_of<kAsFenVerdicts>()};

}  // namespace

Command diff_command() {
  using namespace flags;
  Flag<Question> depth = kDepth;
  depth.help = kPliesOfDivide;
  return make_command<DiffOptions>(
      {.name = "diff",
       .summary = "Compare a divide that your program printed",
       .about = R"(
Reads the divide that another program printed, in any notation (see 'perft help engines'), and
compares it with ours. Prints the moves that differ, and either the broken rule or the next question
to ask. The input may contain divides of several depths. If the program can be started, 'perft
bisect' does all of this automatically.

Exit code: 0 if all moves and counts agree, 1 if not, 2 if something was not understood, 130 on
Ctrl-C.)",
       .examples = R"(
perft diff 3 --fen kiwipete divide.txt
./my-engine < script | perft diff 4)"},
      {depth, kPasteFile, kPosition, kAsFen, kThreads, kKernel, kReportFormat}, run_diff);
}

}  // namespace manyply
