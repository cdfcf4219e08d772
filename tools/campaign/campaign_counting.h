// Counts parts of a campaign on this machine: as a worker, or to find the worker that was wrong in
// a dispute.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "parallel/matrix/count_in_parts.h"
#include "parallel/progress.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/question.h"

namespace manyply {

/// The options of a worker.
struct WorkSpec {
  std::string campaign = {};
  DatabaseAddress database = {};
  CountOptions count_options = {};
  LastPliesDevice* device = nullptr;  ///< counts the last two plies of the parts; may be null
  std::string host = {};              ///< machine name, for display
  std::string label = {};             ///< additional name, for display
  std::string version = {};
  /// While no part is available, the pauses between requests grow up to about this time.
  std::chrono::milliseconds longest_poll{5'000};
  /// After a stop request, each of two calls has this time limit: committing a finished part, and
  /// reporting the worker's end. A batch system may kill the process after some seconds.
  std::chrono::milliseconds stop_patience{2'000};
  /// Time limit for reporting the worker's end to the database when the campaign ends normally.
  std::chrono::milliseconds end_patience{20'000};
};

/// A registered worker.
struct WorkStart {
  Campaign campaign;
  std::int64_t worker = 0;
  NewWorker as;
  double signature_seconds = 0;
};

/// How a worker ended.
struct WorkEnd {
  /// Tells why the worker ended: the campaign was stopped, disputed or done. Never kRunning.
  CampaignState state = CampaignState::kRunning;
  std::uint64_t parts = 0;  ///< number of parts that this worker committed
};

/// Counts the signature's positions by configurations, with the kernel and the threads of
/// `count_options`. Returns the sum of their leaves. If the count of a position is wrong, returns
/// the first wrong count instead. Errors: those of run_job().
Result<std::uint64_t> count_signature(const CountOptions& count_options,
                                      const std::stop_token& stop);

/// Counts parts of a campaign until the campaign is done, stopped or disputed. Makes the first
/// plies, which all parts share, only once. Then leases, counts and commits one part after the
/// other. Calls `on_start` once, after the worker is registered.
///
/// The calling thread owns the connection. It renews the lease while other threads count. If the
/// database is unavailable, counting continues to the end of the part.
///
/// Does not throw. Errors: kCancelled after a stop request; kInvalidInput if the worker is refused;
/// kUnavailable if the database is unavailable at the start; permanent errors of the database;
/// those of PartCounter. After a stop request, commits a finished part, or makes an unfinished part
/// available to other workers. Each of these two calls has the time limit `stop_patience`.
Result<WorkEnd> work(const WorkSpec& spec, const std::stop_token& stop, Progress& progress,
                     const std::function<void(const WorkStart&)>& on_start);

/// A disputed part that was counted again on this machine.
struct ExaminedDispute {
  CampaignDispute dispute;
  NodeCount nodes;  ///< our count
  /// Workers whose count was wrong. Empty if a stored count of the part is damaged.
  std::vector<std::int64_t> wrong;
};

/// The result of explain_campaign().
struct CampaignExplanation {
  std::vector<ExaminedDispute> disputes;
  std::vector<CampaignWorker> wrong;  ///< workers whose counts were wrong, each listed once
  std::vector<DamagedPart> damaged;   ///< changed in the database; no worker is at fault

  [[nodiscard]] bool empty() const { return disputes.empty() && damaged.empty(); }
};

/// Checks every stored count, and counts each disputed part on this machine. This takes as long as
/// counting these parts on a worker. Errors: those of the store and of PartCounter. Error
/// kInternal: this machine's signature differs from the signature of every correct build, so its
/// counts cannot be trusted.
Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CountOptions& count_options,
                                             const std::stop_token& stop);

}  // namespace manyply
