// One process that takes part in a campaign.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "parallel/progress.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/limits.h"

namespace manyply {

struct WorkSpec {
  std::string campaign = {};
  DatabaseAddress database = {};
  Limits limits = {};      ///< without a key seed, one that nobody has had
  std::string host = {};   ///< where it runs, and
  std::string label = {};  ///< what others call it: for people
  std::string version = {};
  /// Who has nothing to count asks again after this time at most.
  std::chrono::milliseconds longest_poll{5'000};
  /// Who is told to go has so long to bring what is finished and to say goodbye, before others make
  /// it go.
  std::chrono::milliseconds stop_patience{2'000};
  /// The same of who has nothing more to count.
  std::chrono::milliseconds end_patience{20'000};
};

/// A worker that has been let in.
struct WorkStart {
  Campaign campaign;
  std::int64_t worker = 0;
  NewWorker as;
  double signature_seconds = 0;
};

struct WorkEnd {
  CampaignState state = CampaignState::kRunning;  ///< why it ended: anything but running
  std::uint64_t batches = 0;                      ///< that it brought
};

/// The leaves of the signature's positions, with the kernel and the threads of `limits`, but full
/// keys. Errors as run_job's.
Result<std::uint64_t> count_signature(const Limits& limits, const std::stop_token& stop);

/// Counts ranges of a campaign until it is done, stopped or disputed. Threads of its own count and
/// never touch the network; one more has the connection, brings what is finished, keeps leases and
/// asks for ranges ahead of time. While the database is away they count on with what they have.
/// Errors: kCancelled after `stop`, when what was finished has been brought and the rest handed
/// back, or `stop_patience` has passed; kInvalidInput where it is refused; what the database does
/// not forgive; run_job's. Throws nothing. `on_start` is called once, before anything is counted.
Result<WorkEnd> work(const WorkSpec& spec, const std::stop_token& stop, Progress& progress,
                     const std::function<void(const WorkStart&)>& on_start);

}  // namespace manyply
