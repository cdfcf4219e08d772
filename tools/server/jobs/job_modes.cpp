#include "tools/server/jobs/job_modes.h"

#include <chrono>
#include <numeric>
#include <utility>

#include "parallel/many_counts.h"
#include "tools/question/spec.h"
#include "tools/question/suite_format.h"

namespace manyply {
namespace {

/// The counts of a batch, in its order.
using BatchCounts = std::vector<std::pair<const SuiteLine*, EpdCount>>;

BatchCounts counts_of(const Batch& batch) {
  BatchCounts counts;
  for (const SuiteLine& line : batch.lines) {
    for (const EpdCount& count : line.record.counts) counts.emplace_back(&line, count);
  }
  return counts;
}

/// Counts each of `missing`, stores what comes of it and puts it into `nodes`.
std::optional<Error> count_missing(const BatchCounts& counts, std::span<const std::size_t> missing,
                                   CountMode mode, const Resources& resources,
                                   std::vector<NodeCount>& nodes) {
  std::vector<JobSpec> jobs;
  for (const std::size_t i : missing) {
    const auto& [line, count] = counts[i];
    Question question = question_of(line->record.root, count.depth);
    question.mode = mode;
    Result<JobSpec> job = job_spec(question, resources.means);
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

SuiteReport compared(const BatchCounts& counts, std::span<const NodeCount> nodes) {
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

/// Preconditions: resources.store, tables and on_phase are there.
Result<Answer> answer_batch(const JobRequest& request, const Resources& resources) {
  const auto begin = std::chrono::steady_clock::now();
  const auto counts = counts_of(*request.suite);
  const auto known = resources.store->open({request.identity, counts.size(), 2, "a batch"});
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
  const auto error = count_missing(counts, missing, request.mode, resources, nodes);
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
  report.positions = request.suite->lines.size();
  report.refused = request.suite->refused;
  report.read_as = request.suite->read_as;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  found.verdict = !report.differences.empty() ? "mismatch"
                  : report.refused.any()      ? "refused"
                                              : "match";
  found.document = suite_document(report);
  return found;
}

}  // namespace

Progress* LiveProgress::start_phase(std::string_view name) {
  const MutexLock lock(mutex_);
  phase_ = name;
  return phases_.emplace_back(std::make_unique<Progress>()).get();
}

LiveProgress::Reading LiveProgress::read() const {
  const MutexLock lock(mutex_);
  Reading reading;
  reading.phase = phase_;
  for (const auto& phase : phases_) {
    reading.earlier_leaves += reading.snapshot.leaves;
    reading.earlier_visited += reading.snapshot.visited;
    reading.snapshot = phase->snapshot();
  }
  return reading;
}

Result<Answer> answer_job(const JobRequest& request, const Resources& resources) {
  return request.kind() == JobKind::kBatch ? answer_batch(request, resources)
                                           : answer(request, resources);
}

bool resumes(const JobRequest& request) {
  return request.kind() == JobKind::kBatch || info(request.mode).resumes;
}

}  // namespace manyply
