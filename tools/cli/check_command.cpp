#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {

int run_check(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const Result<JobSpec> job = make_job(options, root->named, options.depth);
  if (!job) return fail(io, job.error());
  const Result<Report> report = run_and_show(*job, options, io);
  if (!report) return fail(io, report.error());

  const bool agrees = report->nodes == options.expected;
  const int depth = options.depth.plies();
  const std::string nodes = report->nodes.to_string();
  const std::string expected = options.expected.to_string();
  const char* verdict = agrees ? "match" : "mismatch";
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json;
    json["fen"] = to_fen(root->named.position, root->named.notation);
    json["depth"] = depth;
    json["expected"] = expected;
    json["nodes"] = nodes;
    json["verdict"] = verdict;
    io.out << json.dump() << '\n';
  } else if (options.format == Format::kCsv) {
    io.out << fmt::format("depth,expected,nodes,verdict\n{},{},{},{}\n", depth, expected, nodes,
                          verdict);
  } else {
    io.out << (agrees ? fmt::format("match: perft({}) = {}\n", depth, nodes)
                      : fmt::format("mismatch: perft({}) = {}, expected {}\n", depth, nodes,
                                    expected));
  }
  if (!report->hash) note_unused_table(options, io);
  return agrees ? kExitOk : kExitMismatch;
}

}  // namespace manyply
