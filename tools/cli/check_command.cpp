#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

struct CheckOptions : Question, Limits, Showing {
  NodeCount expected;
};

int run_check(const CheckOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const Result<Answer> found = answer_and_show(*question, {.limits = options}, options, io);
  if (!found) return fail(io, found.error());

  const bool agrees = found->nodes == options.expected;
  const int depth = options.depth.plies();
  const std::string nodes = found->nodes.value_or(0).to_string();
  const std::string expected = options.expected.to_string();
  const char* verdict = agrees ? "match" : "mismatch";
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json;
    json["fen"] = to_fen(question->line.here(), question->line.notation());
    json["depth"] = depth;
    json["expected"] = expected;
    json["nodes"] = nodes;
    json["verdict"] = verdict;
    io.out << json_line(json);
  } else if (options.format == Format::kCsv) {
    io.out << fmt::format("depth,expected,nodes,verdict\n{},{},{},{}\n", depth, expected, nodes,
                          verdict);
  } else {
    io.out << (agrees ? fmt::format("match: perft({}) = {}\n", depth, nodes)
                      : fmt::format("mismatch: perft({}) = {}, expected {}\n", depth, nodes,
                                    expected));
  }
  if (!found->hashed) note_unused_table(options, io);
  return agrees ? kExitOk : kExitMismatch;
}

constexpr Flag<CheckOptions> kValue{"VALUE", "", "the count to compare with",
                                    [](CheckOptions& options, const std::string& text) {
                                      return store(parse_nodes(text), options.expected, "value");
                                    }};

}  // namespace

Command check_command() {
  using namespace flags;
  return make_command<CheckOptions>(
      {.name = "check",
       .summary = "Compare one count with a value",
       .about = "Exit code: 0 if it matches, 1 if not, 2 on an error.",
       .examples = "perft check startpos 5 4865609"},
      {kFenArgument, kDepth, kValue, kMoves, kChess960, kCounting, kPlainFormat, kProgress},
      run_check);
}

}  // namespace manyply
