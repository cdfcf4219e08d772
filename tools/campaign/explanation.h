// Who was wrong where workers disagree, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "parallel/jobs/verify.h"
#include "tools/campaign/campaign_plan.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// A disputed unit, counted once more without a table.
struct ExaminedDispute {
  CampaignDispute dispute;
  std::optional<Position> unit;     ///< none if it is about sums
  NodeCount nodes;                  ///< that it has
  std::vector<std::int64_t> wrong;  ///< workers; none if the stored batch was damaged meanwhile
};

/// A worker that was wrong, and what is known of the cause.
struct WrongWorker {
  CampaignWorker worker;
  std::optional<Position> unit;  ///< that tells so; none if it is about sums
  std::string cause;             ///< for people, one line
  /// Of the unit, counted alone with the worker's keys, where that shows a fault.
  std::optional<VerifyReport> report;
  /// What its range says of the unit, counted with the worker's keys, if that is wrong again.
  std::optional<NodeCount> again;
};

struct CampaignExplanation {
  std::vector<ExaminedDispute> disputes;
  std::vector<WrongWorker> wrong;     ///< each once
  std::vector<DamagedBatch> damaged;  ///< changed in the database: nobody's fault who counts

  [[nodiscard]] bool empty() const { return disputes.empty() && damaged.empty(); }
};

/// Looks at every stored batch, counts each disputed unit without a table, and looks for the cause
/// with the keys of the workers that were wrong: in the unit by verify_job, and in its range.
/// `plan` is the campaign's. Errors: the store's, run_job's; kInternal if this machine's signature
/// is not the one of every correct build, so that it cannot judge.
Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CampaignPlan& plan, const Limits& limits,
                                             const std::stop_token& stop);

}  // namespace manyply
