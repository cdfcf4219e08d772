// What the campaign's commands print, as text and as JSON; line ends included.
#pragma once

#include <string>
#include <vector>

#include "parallel/range_plan.h"
#include "tools/campaign/campaign_store.h"
#include "tools/campaign/worker.h"
#include "tools/question/format.h"

namespace manyply {

/// Text and JSON only; other formats are text here.
[[nodiscard]] std::string created_output(const NewCampaign& campaign, const SplitCheck& check,
                                         Format format);
/// For people: what a worker says of itself before it counts.
[[nodiscard]] std::string started_text(const WorkStart& start);
[[nodiscard]] std::string ended_output(const WorkStart& start, const WorkEnd& end, Format format);
[[nodiscard]] std::string names_output(const std::vector<std::string>& names, Format format);
[[nodiscard]] std::string status_output(const CampaignStatus& status,
                                        const std::vector<CampaignDispute>& disputes,
                                        Format format);
[[nodiscard]] std::string result_output(const CampaignResult& result, const Position& root,
                                        bool with_divide, Format format);

}  // namespace manyply
