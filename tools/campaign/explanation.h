// Finds out which worker was wrong in a dispute, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "parallel/jobs/verify.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// A disputed unit, counted again without a table.
struct ExaminedDispute {
  CampaignDispute dispute;
  std::optional<Position> unit;  ///< absent if the dispute is about sums
  NodeCount nodes;               ///< our count of the unit
  /// Workers that were wrong; empty if the stored batch was damaged later.
  std::vector<std::int64_t> wrong;
};

/// A worker that was wrong, and the known facts about the cause.
struct WrongWorker {
  CampaignWorker worker;
  /// A unit that shows the error; absent if the dispute is about sums.
  std::optional<Position> unit;
  std::string cause;  ///< one line for the user
  /// Verification of the unit with the worker's keys, if that shows the error.
  std::optional<VerifyReport> report;
  /// The count of the unit within its range with the worker's keys, if that is wrong again.
  std::optional<NodeCount> again;
};

/// The outcome of explain_campaign().
struct CampaignExplanation {
  std::vector<ExaminedDispute> disputes;
  std::vector<WrongWorker> wrong;     ///< each worker once
  std::vector<DamagedBatch> damaged;  ///< changed in the database, so no worker is at fault

  [[nodiscard]] bool empty() const { return disputes.empty() && damaged.empty(); }
};

/// Checks every stored batch, counts each disputed unit without a table, and searches for the cause
/// with the keys of the workers that were wrong: in the unit with verify_job(), and in its range.
/// `plan` is the campaign's. Errors: the store's, run_job()'s; kInternal if this machine's
/// signature is not that of every correct build, so it cannot judge.
Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CampaignPlan& plan, const Limits& limits,
                                             const std::stop_token& stop);

}  // namespace manyply
