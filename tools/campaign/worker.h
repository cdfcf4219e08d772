// A process that takes part in a campaign.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "parallel/matrix/matrix_in_parts.h"
#include "parallel/progress.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/count_options.h"

namespace manyply {

/// The options of a worker.
struct WorkSpec {
  std::string campaign = {};
  DatabaseAddress database = {};
  CountOptions count_options = {};
  LastPliesDevice* device = nullptr;  ///< counts the last two plies of the parts; may be null
  std::string host = {};              ///< machine name, for display
  std::string label = {};             ///< further name, for display
  std::string version = {};
  /// Longest time between requests for a part while none is available.
  std::chrono::milliseconds longest_poll{5'000};
  /// After a stop request: time to commit a part that is finished and to end, before others would
  /// kill the process.
  std::chrono::milliseconds stop_patience{2'000};
  /// Time to say goodbye at the regular end of the campaign.
  std::chrono::milliseconds end_patience{20'000};
};

/// A registered worker.
struct WorkStart {
  Campaign campaign;
  std::int64_t worker = 0;
  NewWorker as;
  double signature_seconds = 0;
};

/// The end of a worker.
struct WorkEnd {
  CampaignState state = CampaignState::kRunning;  ///< why it ended; never kRunning
  std::uint64_t parts = 0;                        ///< committed by this worker
};

/// Counts the signature's positions by configurations, with the kernel and the threads of
/// `count_options`. Returns the sum of their leaves. If the count of a position is wrong, returns
/// the first such count instead. Errors as run_job().
Result<std::uint64_t> count_signature(const CountOptions& count_options,
                                      const std::stop_token& stop);

/// Counts parts of a campaign until it is done, stopped or disputed: makes the base once, then
/// leases, counts and commits one part after the other. The calling thread owns the connection, and
/// renews the lease while another thread and the workers count. While the database is unavailable,
/// counting continues to the end of the part. Errors: kCancelled after `stop` (a finished part is
/// committed and an unfinished one returned, or `stop_patience` has passed); kInvalidInput if the
/// worker is refused; permanent database errors; those of PartCounter. Does not throw. Calls
/// `on_start` once before counting.
Result<WorkEnd> work(const WorkSpec& spec, const std::stop_token& stop, Progress& progress,
                     const std::function<void(const WorkStart&)>& on_start);

}  // namespace manyply
