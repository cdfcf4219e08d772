// Reads campaigns for the server, on one connection that stays open between reads.
#include <map>
#include <set>
#include <utility>

#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {
namespace {

/// Holds one connection and the history of each campaign. Used by one thread at a time.
class StoreReader : public CampaignReader {
 public:
  explicit StoreReader(DatabaseAddress address) : store_(std::move(address)) {}

  Result<std::vector<CampaignView>> read(const std::stop_token& stop) override {
    const auto names = store_.names(stop);
    if (!names) return names.error();
    std::vector<CampaignView> views;
    std::set<std::int64_t> there;
    for (const std::string& name : *names) {
      const Result<CampaignStatus> status = store_.status(name, stop);
      // The campaign was dropped after names() had returned it.
      if (!status && status.error().code == ErrorCode::kInvalidInput) continue;
      if (!status) return status.error();
      auto view = view_of(*status, histories_[status->campaign.id], stop);
      if (!view) return view.error();
      views.push_back(std::move(view).value());
      there.insert(status->campaign.id);
    }
    std::erase_if(histories_, [&](const auto& each) { return !there.contains(each.first); });
    return views;
  }

 private:
  /// Returns the view of one campaign and updates its history. Errors: the store's.
  Result<CampaignView> view_of(const CampaignStatus& status, CampaignHistory& history,
                               const std::stop_token& stop) {
    const Campaign& campaign = status.campaign;
    const auto disputes = store_.disputes(campaign.name, stop);
    if (!disputes) return disputes.error();
    const auto cells = store_.strip(campaign, stop);
    if (!cells) return cells.error();
    const auto workers = store_.workers(campaign.name, stop);
    if (!workers) return workers.error();
    if (auto error = store_.follow(campaign, history, stop)) return *std::move(error);
    return campaign_view(status, *disputes, *cells, history, *workers);
  }

  CampaignStore store_;
  std::map<std::int64_t, CampaignHistory> histories_;  // by campaign id; rates need the past, and
                                                       // follow() reads only the newest part again
};

}  // namespace

OpenCampaigns campaign_opener() {
  return [](const std::string& conninfo) -> Result<std::unique_ptr<CampaignReader>> {
    const DatabaseAddress address{.conninfo = conninfo};
    const auto parameters = connection_parameters(address);
    if (!parameters) return parameters.error();
    return std::unique_ptr<CampaignReader>(std::make_unique<StoreReader>(address));
  };
}

}  // namespace manyply
