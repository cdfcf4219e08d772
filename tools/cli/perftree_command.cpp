#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/report/report_format.h"

namespace manyply {
namespace {

struct PerftreeOptions : Question, Limits, Showing {};

int run_perftree(const PerftreeOptions& options, Io& io) {
  const Result<Question> question = validated(options, {.notation = CastlingNotation::kStandard});
  if (!question) return fail(io, question.error());
  const Result<Answer> found = answer_and_show(*question, {.limits = options}, options, io);
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
Prints lines of move and count, an empty line, the total. Castling is written as e1g1 unless
--chess960 is given. Script for perftree:

  #!/bin/sh
  exec perft perftree "$@")"},
      {kDepth, kFenArgument, kMovesArgument, kChess960, kCounting, kProgress}, run_perftree);
}

}  // namespace manyply
