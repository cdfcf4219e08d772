// Campaigns as they are shown to who only looks. Who reads them (campaign/) and who shows them
// (server/) know this and not each other.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"

namespace manyply {

/// One campaign, each part as JSON, in the words of openapi.json.
struct CampaignView {
  std::string name;
  std::string status;   ///< an object: CampaignStatus
  std::string strip;    ///< an object: CampaignStrip
  std::string rate;     ///< an object: CampaignRate
  std::string workers;  ///< an array of CampaignWorker
};

/// Looks into a database. One thread at a time.
class CampaignReader {
 public:
  CampaignReader() = default;
  virtual ~CampaignReader() = default;
  CampaignReader(const CampaignReader&) = delete;
  CampaignReader& operator=(const CampaignReader&) = delete;

  /// All campaigns, the oldest first. May wait for as long as a database does, until `stop`; after
  /// an error it may be called again.
  virtual Result<std::vector<CampaignView>> read(const std::stop_token& stop) = 0;
};

/// Makes the reader of the database at `conninfo` (libpq's; empty = as the environment says),
/// without connecting. kInvalidInput if that makes no sense or has a password in it.
using OpenCampaigns =
    std::function<Result<std::unique_ptr<CampaignReader>>(const std::string& conninfo)>;

}  // namespace manyply
