// Finds out which worker was wrong in a dispute.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "tools/campaign/campaign_store.h"
#include "tools/report/count_options.h"

namespace manyply {

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
