// What counts: threads that take one job after the other from the queue.
#pragma once

#include <thread>
#include <vector>

#include "parallel/jobs/table_keeper.h"
#include "tools/server/jobs/job_board.h"

namespace manyply {

/// Why a job failed whose deadline has passed.
[[nodiscard]] Error expired_error();
/// Why one failed whose client has no running time left.
[[nodiscard]] Error used_up_error(const std::string& client);

/// As many as JobManagerOptions::concurrent, with a share of threads and table memory each, and one
/// with one thread for the short lane. They end once the board is closing.
class JobRunners {
 public:
  explicit JobRunners(JobBoard& board);

  void start();
  void join();

  /// Held by tables that are kept from job to job. Any thread.
  [[nodiscard]] std::uint64_t table_bytes() const;
  void release_tables();

 private:
  /// What runs one job at a time.
  struct Slot {
    Limits limits;
    bool beside = false;  ///< it is the short lane
    TableKeeper tables;
    std::jthread thread;
  };

  void run_jobs(Slot& slot);
  std::shared_ptr<ActiveJob> next_job(const Slot& slot);
  std::shared_ptr<ActiveJob> first_waiting(const Slot& slot) const MANYPLY_REQUIRES(board_.mutex);
  bool may_run_beside() MANYPLY_REQUIRES(board_.mutex);
  void begin(const std::shared_ptr<ActiveJob>& job, const Slot& slot)
      MANYPLY_REQUIRES(board_.mutex);
  void leave_lane(ActiveJob& job);
  void wait_again(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(board_.mutex);
  void run(const std::shared_ptr<ActiveJob>& job, Slot& slot);
  [[nodiscard]] Quota quota_of(const std::string& client) const;
  void limit_time(const std::shared_ptr<ActiveJob>& job, const std::string& client,
                  std::chrono::seconds allowed);
  [[nodiscard]] Scratch scratch_within(const Quota& quota) const;
  std::optional<Answer> known_outcome(const JobRequest& request);
  void note_storage_of(const std::shared_ptr<ActiveJob>& job, const MaybeError& error);
  void account(const LiveProgress& live, const Result<Answer>& outcome);
  void end(const std::shared_ptr<ActiveJob>& job, JobState state, std::optional<Answer> outcome,
           MaybeError failure = std::nullopt);

  JobBoard& board_;
  std::vector<Slot> slots_;  // the last one is the short lane, if there is one
};

}  // namespace manyply
