// Typical jobs for tests.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mutex.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/range_job.h"
#include "parallel/units/unit_store.h"

namespace manyply {

inline constexpr int kWorkerCounts[] = {1, 2, 3, 8};

struct FenAndDepth {
  std::string_view fen;
  int depth;
};

/// A wall of pawns between the kings: there are few positions, and the number of paths grows by a
/// factor of five per ply.
inline constexpr std::string_view kWalledKings = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";

/// Returns a count without a table.
inline JobSpec job_spec(std::string_view fen, int depth, int threads = 2) {
  JobSpec spec;
  spec.root = parse_position(fen).value();
  spec.depth = Depth(depth);
  spec.threads = threads;
  return spec;
}

inline JobSpec job_spec(std::string_view fen, int depth, int threads, const HashSpec& hash) {
  JobSpec spec = job_spec(fen, depth, threads);
  spec.hash = hash;
  return spec;
}

/// Returns equal weights for all units.
inline UnitWeights equal_weights(std::size_t units, float weight = 1) {
  return {.units = units, .of_step = std::vector<float>(units, weight)};
}

/// Stores units across runs of a job. A job with another identity finds no units. Refuses new units
/// if it already has `most`.
class MemoryStore : public UnitStore {
 public:
  Result<std::optional<std::string>> plan_of(const StoredJob& /*job*/) override { return plan; }
  Result<UnitPayloads> open(const StoredJob& job) override {
    if (identity_ && *identity_ != job.identity) units.clear();
    identity_ = job.identity;
    if (what.empty()) what = job.what;
    if (!job.plan.empty()) plan = job.plan;
    UnitPayloads known(job);
    for (const auto& [unit, payload] : units) known.put(unit, payload);
    if (on_open) on_open();
    return known;
  }
  std::optional<Error> record(std::size_t unit, std::span<const std::uint64_t> payload) override {
    const MutexLock lock(mutex_);
    if (units.size() >= most) return Error{ErrorCode::kUnavailable, "", 0, "full"};
    units[unit].assign(payload.begin(), payload.end());
    ++recorded;
    return std::nullopt;
  }
  std::optional<Error> flush() override { return std::nullopt; }

  std::map<std::size_t, std::vector<std::uint64_t>> units;
  std::size_t most = SIZE_MAX;
  std::size_t recorded = 0;
  std::string what;
  std::optional<std::string> plan;
  std::function<void()> on_open;

 private:
  Mutex mutex_;
  std::optional<Hash128> identity_;
};

inline Report run(const JobSpec& spec) { return run_job(spec, {}).value(); }

}  // namespace manyply
