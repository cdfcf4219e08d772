// The plan of a campaign, which all its workers share: split at one ply, units in one order.
#pragma once

#include <stop_token>
#include <string>

#include "core/fen.h"
#include "parallel/split/range_plan.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/limits.h"

namespace manyply {

struct CampaignPlan {
  NamedPosition root;
  Depth depth;
  JobUnits units;
};

/// Splits a campaign's position as its row says, with the kernel and the threads of `limits`.
/// Errors: those of units_at(), and an invalid --threads.
Result<JobUnits> units_of(const Campaign& campaign, const Position& root, const Limits& limits,
                          const std::stop_token& stop);

/// Returns the plan of an existing campaign. Errors as units_of(); kInternal if the plan differs
/// from the one that the campaign was created with.
Result<CampaignPlan> plan_of(const Campaign& campaign, const Limits& limits,
                             const std::stop_token& stop);

/// Returns a campaign with this plan. The caller sets ranges, verification and leases.
[[nodiscard]] NewCampaign new_campaign(std::string name, const CampaignPlan& plan);

}  // namespace manyply
