// Finds out which worker was wrong in a dispute.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "tools/campaign/campaign_store.h"
#include "tools/report/count_options.h"

namespace manyply {

/// A disputed part, counted again here.
struct ExaminedDispute {
  CampaignDispute dispute;
  NodeCount nodes;  ///< our count
  /// Workers that were wrong; empty if a stored count was damaged later.
  std::vector<std::int64_t> wrong;
};

/// The outcome of explain_campaign().
struct CampaignExplanation {
  std::vector<ExaminedDispute> disputes;
  std::vector<CampaignWorker> wrong;  ///< each worker once
  std::vector<DamagedPart> damaged;   ///< changed in the database, so no worker is at fault

  [[nodiscard]] bool empty() const { return disputes.empty() && damaged.empty(); }
};

/// Checks every stored count, and counts each disputed part here, which takes as long as it takes a
/// worker. Errors: the store's, PartCounter's; kInternal if this machine's signature is not that of
/// every correct build, so it cannot judge.
Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CountOptions& count_options,
                                             const std::stop_token& stop);

}  // namespace manyply
