#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/signature.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

struct SignatureOptions : Limits, Showing {};

int run_signature(const SignatureOptions& options, Io& io) {
  NodeCount total;
  bool wrong = false;
  bool hashed = false;
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  std::string csv = "fen,depth,nodes\n";
  std::string differences;
  TableKeeper keeper;
  for (const SignatureItem& item : kSignatureItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return fail(io, root.error());
    Question question = question_of(*root, Depth(item.depth));
    question.mode = CountMode::kHashed;  // one table for all counts, because most are small
    const Result<Answer> found =
        answer_and_show(question, {.limits = options, .tables = &keeper}, options, io);
    if (!found) return fail(io, found.error());
    hashed |= found->hashed;
    const NodeCount counted = found->nodes.value_or(0);
    total += counted;
    const std::string nodes = counted.to_string();
    items.push_back({{"fen", item.fen},
                     {"depth", item.depth},
                     {"nodes", nodes},
                     {"expected", std::to_string(item.nodes)}});
    csv += fmt::format("{},{},{}\n", item.fen, item.depth, nodes);
    if (counted == item.nodes) continue;
    wrong = true;  // even if the sum is right: two errors may cancel
    differences += fmt::format("depth {}: expected {}, counted {}  {}\n", item.depth, item.nodes,
                               nodes, item.fen);
  }

  if (options.format == Format::kJson) {
    const nlohmann::ordered_json json{{"signature", total.to_string()},
                                      {"expected", std::to_string(kSignature)},
                                      {"verdict", wrong ? "mismatch" : "match"},
                                      {"positions", items}};
    io.out << json_line(json);
  } else if (options.format == Format::kCsv) {
    io.out << csv << "total,," << total.to_string() << '\n';
  } else {
    io.out << total.to_string() << '\n'
           << differences
           << (wrong ? fmt::format("mismatch: a correct build prints {}\n", kSignature)
                     : fmt::format(
                           "match: the leaves of {} fixed positions, as in every correct build\n",
                           kSignatureItems.size()));
  }
  if (!hashed) note_unused_table(options, io);
  return wrong ? kExitMismatch : kExitOk;
}

}  // namespace

Command signature_command() {
  using namespace flags;
  return make_command<SignatureOptions>(
      {.name = "signature", .summary = "Check this build by its signature, 86489390", .about = R"(
Counts the leaves of a fixed list of positions: their sum is 86489390 on every machine, with every
kernel and any number of threads. Exit code: 0 if this build counts that sum, 1 if not (the build is
broken, or --key-bits made false matches), 2 on an error, 130 on Ctrl-C.)"},
      {kCounting, kPlainFormat, kProgress}, run_signature);
}

}  // namespace manyply
