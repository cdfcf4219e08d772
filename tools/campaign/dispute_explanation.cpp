#include "tools/campaign/dispute_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/known_values.h"
#include "tools/campaign/worker.h"

namespace manyply {
namespace {

/// Counts the disputed parts. Errors: those of explain_campaign().
Result<std::map<std::int64_t, NodeCount>> count_disputed(
    CampaignStore& store, const Campaign& campaign, const std::vector<CampaignDispute>& disputes,
    const CountOptions& count_options, const std::stop_token& stop) {
  const Result<std::uint64_t> signature = count_signature(count_options, stop);
  if (!signature) return signature.error();
  if (*signature != kSignature) {
    return Error{
        ErrorCode::kInternal, "signature", 0,
        fmt::format("is {} here, but {} in every correct build, so this build cannot decide "
                    "which worker was wrong",
                    *signature, kSignature)};
  }
  const Result<NamedPosition> root = parse_position(campaign.fen);
  if (!root) return root.error();
  const Result<std::string> plan = store.plan_of(campaign, root->position.board(), stop);
  if (!plan) return plan.error();
  const Result<Workforce> by = Workforce::of(count_options.threads, count_options.kernel, {}, stop);
  if (!by) return by.error();
  PartCounter counter({.root = root->position,
                       .depth = campaign.depth.plies(),
                       .most_bytes = matrix_bytes(count_options.memory_bytes)},
                      *by);
  if (auto error = counter.prepare(*plan)) return *std::move(error);
  std::map<std::int64_t, NodeCount> counts;
  for (const CampaignDispute& dispute : disputes) {
    if (counts.contains(dispute.part)) continue;
    if (dispute.part >= static_cast<std::int64_t>(counter.shares().size()))
      return campaign_damage("has a dispute about a part that does not exist");
    const Result<PartCount> count = counter.count(static_cast<std::size_t>(dispute.part));
    if (!count) return count.error();
    counts[dispute.part] = count->nodes;
  }
  return counts;
}

}  // namespace

Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CountOptions& count_options,
                                             const std::stop_token& stop) {
  CampaignExplanation explanation;
  const auto disputes = store.disputes(campaign.name, stop);
  if (!disputes) return disputes.error();
  const auto workers = store.workers(campaign.name, stop);
  if (!workers) return workers.error();
  auto damaged = store.damage(campaign.name, stop);
  if (!damaged) return damaged.error();
  explanation.damaged = std::move(damaged).value();
  if (disputes->empty()) return explanation;

  const auto counts = count_disputed(store, campaign, *disputes, count_options, stop);
  if (!counts) return counts.error();
  for (const CampaignDispute& dispute : *disputes) {
    ExaminedDispute& examined = explanation.disputes.emplace_back();
    examined.dispute = dispute;
    examined.nodes = counts->at(dispute.part);
    if (std::ranges::any_of(explanation.damaged, [&](const DamagedPart& part) {
          return part.key.number == dispute.part;
        }))
      continue;
    for (const auto& [nodes, id] :
         {std::pair(dispute.nodes0, dispute.worker0), std::pair(dispute.nodes1, dispute.worker1)}) {
      if (nodes == examined.nodes.to_string()) continue;
      examined.wrong.push_back(id);
      if (std::ranges::find(explanation.wrong, id, &CampaignWorker::id) != explanation.wrong.end())
        continue;
      const auto worker = std::ranges::find(*workers, id, &CampaignWorker::id);
      MANYPLY_CHECK(worker != workers->end());  // a foreign key of the database ensures this
      explanation.wrong.push_back(*worker);
    }
  }
  return explanation;
}

}  // namespace manyply
