// A campaign's count as all who take part have it: split at one ply, and in one order.
#pragma once

#include <stop_token>
#include <string>

#include "core/fen.h"
#include "parallel/range_plan.h"
#include "tools/campaign/campaign_store.h"
#include "tools/question/means.h"

namespace manyply {

struct CampaignPlan {
  NamedPosition root;
  Depth depth;
  RootSplit split;
  UnitOrder order = {};
};

/// Takes `split`, a split_for_ranges() of `root`, into its order.
[[nodiscard]] CampaignPlan planned(const NamedPosition& root, Depth depth, RootSplit split);

/// Splits a campaign that there is once more. With the kernel and the threads of `means`.
/// kInternal if that is not what it was made of; kCancelled; what is wrong with --threads.
Result<CampaignPlan> plan_of(const Campaign& campaign, const Means& means,
                             const std::stop_token& stop);

/// A campaign to be made of `plan`: all but how it is cut, verified and leased.
[[nodiscard]] NewCampaign new_campaign(std::string name, const CampaignPlan& plan);

}  // namespace manyply
