// Campaigns as the server shows them. The folder campaign/ reads the campaigns, and server/ shows
// them. These folders must not include each other, so both include this header.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// One campaign. All members except the name are JSON in formats that openapi.json defines.
struct CampaignView {
  std::string name;
  std::string status;   ///< an object: CampaignStatus
  std::string strip;    ///< an object: CampaignStrip
  std::string rate;     ///< an object: CampaignRate
  std::string workers;  ///< an array of CampaignWorker
};

/// Reads campaigns from a database. Only one thread may use it at a time.
class CampaignReader {
 public:
  CampaignReader() = default;
  virtual ~CampaignReader() = default;
  CampaignReader(const CampaignReader&) = delete;
  CampaignReader& operator=(const CampaignReader&) = delete;

  /// Returns all campaigns, oldest first. Blocks until the database answers or `stop` is requested.
  /// May be called again after an error.
  virtual Result<std::vector<CampaignView>> read(const std::stop_token& stop) = 0;
};

/// Creates the reader for the database at `conninfo` without connecting. `conninfo` is a libpq
/// string. If the string is empty, the environment defines the database. Error kInvalidInput: the
/// string is invalid, sets `service`, or contains a password.
using OpenCampaigns =
    std::function<Result<std::unique_ptr<CampaignReader>>(const std::string& conninfo)>;

}  // namespace manyply
