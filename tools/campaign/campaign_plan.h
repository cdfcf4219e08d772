// A campaign's count as all who take part have it: split at one ply, its units in one order.
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

/// Splits a campaign's position once more, as its row says. With the kernel and the threads of
/// `limits`. Errors as units_at, and what is wrong with --threads.
Result<JobUnits> units_of(const Campaign& campaign, const Position& root, const Limits& limits,
                          const std::stop_token& stop);

/// The plan of a campaign that there is. Errors as units_of; kInternal if that is not what it was
/// made of.
Result<CampaignPlan> plan_of(const Campaign& campaign, const Limits& limits,
                             const std::stop_token& stop);

/// A campaign to be made of `plan`: all but how it is cut, verified and leased.
[[nodiscard]] NewCampaign new_campaign(std::string name, const CampaignPlan& plan);

}  // namespace manyply
