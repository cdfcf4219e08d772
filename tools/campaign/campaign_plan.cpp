#include "tools/campaign/campaign_plan.h"

#include <utility>

#include "tools/command/flags.h"

namespace manyply {

CampaignPlan planned(const NamedPosition& root, Depth depth, RootSplit split) {
  CampaignPlan plan{.root = root, .depth = depth, .split = std::move(split)};
  plan.order = order_for_ranges(plan.split, depth);
  return plan;
}

Result<CampaignPlan> plan_of(const Campaign& campaign, const Means& means,
                             const std::stop_token& stop) {
  const Result<NamedPosition> root = parse_position(campaign.fen);
  if (!root) return root.error();
  const Result<Workers> workers = Workers::of(means.threads);
  if (!workers) return renamed(workers.error(), "--threads");
  const Kernel& kernel = means.kernel != nullptr ? *means.kernel : best_kernel();
  RootSplit split =
      split_root(root->position, campaign.depth, kernel,
                 split_at(campaign.depth, campaign.split_ply), stop, workers->count());
  if (stop.stop_requested()) return cancelled();
  CampaignPlan plan = planned(*root, campaign.depth, std::move(split));
  if (plan_identity(root->position, campaign.depth, plan.split, plan.order) != campaign.identity)
    return campaign_damage("is split in another way here than where it was made");
  return plan;
}

NewCampaign new_campaign(std::string name, const CampaignPlan& plan) {
  const Position& root = plan.root.position;
  NewCampaign campaign;
  campaign.name = std::move(name);
  campaign.fen = to_fen(root, plan.root.notation);
  campaign.depth = plan.depth;
  campaign.split_ply = plan.split.ply;
  campaign.identity = plan_identity(root, plan.depth, plan.split, plan.order);
  for (const Move move : plan.split.root_moves)
    campaign.root_moves.push_back(to_uci(move, plan.root.notation));
  return campaign;
}

}  // namespace manyply
