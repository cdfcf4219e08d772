#include "tools/campaign/campaign_plan.h"

#include <utility>

#include "tools/cli/framework/flags.h"

namespace manyply {

Result<JobUnits> units_of(const Campaign& campaign, const Position& root, const Limits& limits,
                          const std::stop_token& stop) {
  const Result<Workforce> by = Workforce::of(limits.threads, limits.kernel, {}, stop);
  if (!by) return renamed(by.error(), "--threads");
  return units_at(root, campaign.depth, campaign.split_ply,
                  campaign.deep() ? UnitStorage::kPacked : UnitStorage::kByRootMove, *by);
}

Result<CampaignPlan> plan_of(const Campaign& campaign, const Limits& limits,
                             const std::stop_token& stop) {
  const Result<NamedPosition> root = parse_position(campaign.fen);
  if (!root) return root.error();
  Result<JobUnits> units = units_of(campaign, root->position, limits, stop);
  if (!units) return units.error();
  // Counts refer to units by number, so any other order of units would mix them up.
  if (plan_identity(root->position, campaign.depth, *units) != campaign.identity)
    return campaign_damage("is split in another way here than where it was made");
  return CampaignPlan{*root, campaign.depth, std::move(units).value()};
}

NewCampaign new_campaign(std::string name, const CampaignPlan& plan) {
  const Position& root = plan.root.position;
  NewCampaign campaign;
  campaign.name = std::move(name);
  campaign.fen = to_fen(root, plan.root.notation);
  campaign.depth = plan.depth;
  campaign.split_ply = plan.units.ply();
  campaign.identity = plan_identity(root, plan.depth, plan.units);
  for (const Move move : plan.units.root_moves())
    campaign.root_moves.push_back(to_uci(move, plan.root.notation));
  return campaign;
}

}  // namespace manyply
