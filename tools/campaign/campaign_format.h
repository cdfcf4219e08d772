// Formats the output of the campaign commands, including line ends. Functions with a parameter
// `format` support text and JSON; for other formats, they return text.
#pragma once

#include <string>
#include <vector>

#include "tools/campaign/campaign_counting.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/campaign_view.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns the output of `create`: parts, memory and the expected processor time.
[[nodiscard]] std::string created_output(const NewCampaign& campaign, double core_seconds,
                                         Format format);
/// Returns the text that a worker prints before it starts to count.
[[nodiscard]] std::string started_text(const WorkStart& start);
/// Returns the output of a worker at its end: its number of parts and the campaign's state.
[[nodiscard]] std::string ended_output(const WorkStart& start, const WorkEnd& end, Format format);
/// Returns the names, one per line.
[[nodiscard]] std::string names_output(const std::vector<std::string>& names, Format format);
/// Returns the state, the rate, the verified parts and the disputes. Adds what the user must do
/// before a running campaign can proceed.
[[nodiscard]] std::string status_output(const CampaignStatus& status,
                                        const std::vector<CampaignDispute>& disputes,
                                        Format format);
/// Returns one line about a running campaign.
[[nodiscard]] std::string watched_output(const CampaignStatus& status, Format format);
/// Returns a campaign for `perft serve`: the JSON that the commands print, but with at most 100
/// disputes and only the latest 500 workers.
[[nodiscard]] CampaignView campaign_view(const CampaignStatus& status,
                                         const std::vector<CampaignDispute>& disputes,
                                         const std::vector<CampaignCell>& cells,
                                         const std::vector<CountedPart>& history,
                                         const std::vector<CampaignWorker>& workers);
/// Returns a table of the workers. Adds the reason for each worker that was refused.
[[nodiscard]] std::string workers_output(const std::vector<CampaignWorker>& workers, Format format);
/// Returns a worker and the parts that it committed. If the user has withdrawn the worker's counts,
/// `withdrawn` is the number of these counts.
[[nodiscard]] std::string suspect_output(const CampaignWorker& worker,
                                         const std::vector<StoredPart>& parts,
                                         std::optional<std::int64_t> withdrawn, Format format);
/// Returns the disputes, the wrong workers, and the damaged counts. For each dispute, also returns
/// this machine's count of the disputed part. `withdrawn` is the number of counts that were
/// withdrawn. `campaign` has the state after the withdrawal.
[[nodiscard]] std::string explained_output(const Campaign& campaign,
                                           const CampaignExplanation& explanation,
                                           std::int64_t withdrawn, Format format);
/// Returns the total, the published value, and the evidence for the total.
[[nodiscard]] std::string result_output(const CampaignResult& result, const Position& root,
                                        Format format);

}  // namespace manyply
