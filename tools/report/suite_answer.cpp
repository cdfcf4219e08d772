#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/stopwatch.h"
#include "parallel/jobs/many_counts.h"
#include "tools/report/answer.h"
#include "tools/report/spec.h"
#include "tools/report/suite_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

/// The counts of a suite, in its order.
using SuiteCounts = std::vector<std::pair<const SuiteLine*, EpdCount>>;

SuiteCounts expected_counts(const Suite& suite) {
  SuiteCounts counts;
  for (const SuiteLine& line : suite.lines) {
    for (const EpdCount& count : line.record.counts) counts.emplace_back(&line, count);
  }
  return counts;
}

/// Counts each of `missing`, stores each result and enters it into `nodes`.
std::optional<Error> count_missing(const SuiteCounts& counts, std::span<const std::size_t> missing,
                                   CountMode mode, const Resources& resources,
                                   std::vector<NodeCount>& nodes) {
  std::vector<JobSpec> jobs;
  for (const std::size_t i : missing) {
    const auto& [line, count] = counts[i];
    Question question = question_of(line->record.root, count.depth);
    question.mode = mode;
    Result<JobSpec> job = job_spec(question, resources.limits);
    if (!job) return job.error();
    jobs.push_back(std::move(job).value());
  }
  std::optional<Error> unstored;
  const auto take = [&](const ManyCounted& counted) {
    const std::size_t i = missing[counted.job];
    nodes[i] = counted.nodes;
    unstored = resources.store->record(i, to_words(counted.nodes));
    return !unstored;
  };
  auto error = count_many(jobs, resources.stop, resources.on_phase(""), take);
  return error ? error : unstored;
}

/// Compares our counts with the expected ones. The caller adds positions, refused lines and time.
SuiteReport compared(const SuiteCounts& counts, std::span<const NodeCount> nodes) {
  SuiteReport report;
  report.file = "batch";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [line, count] = counts[i];
    if (nodes[i] == count.nodes) {
      ++report.matches;
    } else {
      report.differences.push_back(
          {line->number, line->record.fen, count.depth, count.nodes, nodes[i]});
    }
  }
  return report;
}

}  // namespace

Result<Answer> answer_suite(const Suite& suite, CountMode mode, const Hash128& identity,
                            const Resources& resources) {
  const Stopwatch watch;
  const auto counts = expected_counts(suite);
  const auto known = resources.store->open({identity, counts.size(), 2, "a batch"});
  if (!known) return known.error();
  std::vector<NodeCount> nodes(counts.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (known->knows(i)) {
      nodes[i] = to_count(known->of(i));
    } else {
      missing.push_back(i);
    }
  }
  resources.tables->release();  // the counts share tables of their own
  const auto error = count_missing(counts, missing, mode, resources, nodes);
  const auto lost = resources.store->flush();
  if (error) return *error;
  if (lost) return *lost;

  Answer found;
  try {
    found.nodes = std::accumulate(nodes.begin(), nodes.end(), NodeCount());
  } catch (const CountOverflow&) {
    return Error{ErrorCode::kOverflow, "nodes", 0, "all counts together do not fit 128 bits"};
  }
  SuiteReport report = compared(counts, nodes);
  report.positions = suite.lines.size();
  report.refused = suite.refused;
  report.read_as = suite.read_as;
  report.seconds = watch.seconds();
  found.verdict = !report.differences.empty() ? "mismatch"
                  : report.refused.any()      ? "refused"
                                              : "match";
  found.document = suite_document(report);
  return found;
}

Result<std::string> written_suite(Format format, const std::string& document,
                                  const std::vector<SuiteLine>& lines) try {
  if (format == Format::kJson) return document;
  const auto json = read_json(document);
  return format == Format::kJUnit ? suite_junit(json, lines) : suite_text(json);
} catch (const std::exception&) {
  return Error{ErrorCode::kInternal, "report", 0, "is not what a suite leaves"};
}

}  // namespace manyply
