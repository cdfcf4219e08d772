// `perft diff`: compares a pasted divide with ours.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/commands.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/framework/console.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/job_runner.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

struct DiffOptions : Question, CountOptions, Showing {
  std::string file = "-";
  std::optional<bool> right_as_fen;
};

/// One run of the command. Reads the pasted divides, counts our own, and prints the comparison.
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
    const OurDivide divide = [this](const Line& at, Depth depth) {
      return counts_.divide(at, depth, io_.stop);
    };
    auto divides = parse_pasted_divides(*text, line, options_.depth, divide);
    if (!divides) return fail(io_, divides.error());

    for (const PastedDivide& pasted : *divides) {
      const auto ours = divide(line, pasted.depth);
      if (!ours) return fail(io_, ours.error());
      compared_.push_back(
          {pasted.depth, pasted.name,
           diff_document(line, pasted.depth, *ours, pasted.answer, options_.right_as_fen, divide)});
    }
    io_.out << (options_.format == Format::kJson ? json_line(as_json(line, *divides))
                                                 : as_text(line, *divides));
    return all_agree() ? kExitOk : kExitMismatch;
  }

 private:
  /// A pasted divide and its diff_document().
  struct Compared {
    Depth depth;
    std::string name;  ///< PastedDivide::name
    Json document;

    /// Returns whether all rows agree with ours. If the text has a total, the total must also be
    /// the sum of the rows.
    [[nodiscard]] bool agrees() const {
      const Json& total = document.at("pasted_total");
      const bool whole = total.is_null() || total == document.at("pasted_sum");
      return document.at("agrees").get<bool>() && whole;
    }
  };

  /// Reads the pasted text. On a terminal, first prints how the user can end the text.
  Result<std::string> pasted() {
    const std::string& file = options_.file;
    if (file == "-" && console::is_terminal(io_.input)) {
      io_.err << "perft: paste the divide that your program prints, then press "
              << console::keys_that_end_input() << " to end the input\n"
              << std::flush;
    }
    return read_input(file, io_);
  }

  [[nodiscard]] bool all_agree() const { return std::ranges::all_of(compared_, &Compared::agrees); }

  [[nodiscard]] Json as_json(const Line& line, const std::vector<PastedDivide>& divides) const {
    Json json{{"fen", line.start_fen()}, {"moves", line.uci_moves()}, {"agrees", all_agree()}};
    json["divides"] = Json::array();
    const bool rivals = has_rivals(divides);
    for (const Compared& one : compared_) {
      Json divide{{"depth", one.depth.plies()}};
      if (rivals) divide["reading"] = one.name;
      divide.update(one.document);
      json["divides"].push_back(std::move(divide));
    }
    if (rivals) json["disputed"] = disputed_document(divides);
    return json;
  }

  [[nodiscard]] std::string as_text(const Line& line,
                                    const std::vector<PastedDivide>& divides) const {
    std::string text = position_rows(line);
    const char* head = "readings";
    for (const std::string& told : rivals_told(divides))
      text += report_sentence(std::exchange(head, ""), told, io_.terminal_columns);
    // The shallowest difference is the most useful one, because deeper differences may follow from
    // it.
    const auto wrong = std::ranges::find_if_not(compared_, &Compared::agrees);
    const auto& shown = wrong == compared_.end() ? compared_.back() : *wrong;
    std::vector<const Compared*> readings;
    for (const Compared& one : compared_) {
      if (one.depth == shown.depth) readings.push_back(&one);
      if (one.depth < shown.depth) text += text_line("agrees", agreement(one));
    }
    if (readings.size() > 1) return text + readings_text(line, readings);
    if (shown.agrees() && compared_.size() > 1) {
      text += text_line("agrees", agreement(shown));
    } else {
      if (!shown.agrees()) text += text_line("depth", std::to_string(shown.depth.plies())) + '\n';
      text += difference(line, shown);
    }
    return text + text_line("verdict", verdict_on(readings));
  }

  /// Returns "agrees", "DIFFERS", or "incomplete" if every difference may come from lost rows.
  static const char* verdict_on(const std::vector<const Compared*>& readings) {
    bool agrees = true;
    for (const Compared* reading : readings) {
      if (reading->agrees()) continue;
      if (!is_incomplete(reading->document)) return "DIFFERS";
      agrees = false;
    }
    return agrees ? "agrees" : "incomplete";
  }

  /// Formats the comparisons of several readings. Precondition: all readings have the same depth.
  [[nodiscard]] std::string readings_text(const Line& line,
                                          const std::vector<const Compared*>& readings) const {
    std::string text = text_line("depth", std::to_string(readings.front()->depth.plies()));
    for (const Compared* reading : readings) {
      text += '\n' + text_line("reading", reading->name);
      text +=
          reading->agrees() ? text_line("agrees", agreement(*reading)) : difference(line, *reading);
    }
    return text + '\n' + text_line("verdict", verdict_on(readings));
  }

  static std::string agreement(const Compared& one) {
    return agreement_text(one.document, one.depth);
  }

  [[nodiscard]] std::string difference(const Line& line, const Compared& one) const {
    return named_as(io_.program, diff_text(one.document, line, one.depth, io_.terminal_columns));
  }

  const DiffOptions& options_;
  Io& io_;
  OneByOne counts_{options_};
  std::vector<Compared> compared_;  ///< ascending by depth
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
    "right or wrong: your program's result when it gets this position as a FEN, without moves",
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
       .summary = "Compare a divide that your program printed with ours",
       .about = R"(
Reads the divide that another program printed, in any notation (see 'perft help engines'), and
compares it with ours. Prints the moves that differ, and either the broken rule or the next divide
to compare. The input may contain divides of several depths. If it has several different columns of
counts, or several different divides of one depth, each one is compared. If the program can be
started from a shell, 'perft bisect' does all of this automatically.

Exit code: 0 if all moves and counts agree, 1 if not, 2 if something was not understood, 130 on
Ctrl-C.)",
       .examples = R"(
perft diff 3 --fen kiwipete divide.txt
./my-engine < script | perft diff 4)"},
      {depth, kPasteFile, kPosition, kAsFen, kThreads, kKernel, kReportFormat}, run_diff);
}

}  // namespace manyply
