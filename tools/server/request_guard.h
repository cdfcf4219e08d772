// Who may ask: Host, Origin and token, before anything is done.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/server/access_list.h"
#include "tools/server/http/http_message.h"

namespace manyply {

struct GuardOptions {
  /// Whose tokens must be sent as "Authorization: Bearer …"; null: anybody may do everything.
  std::shared_ptr<const Clients> clients;
};

/// Any thread.
///
/// *Host*: names of this machine (localhost, IP addresses) always; other names only where tokens
/// are asked for. A page elsewhere whose name was made to point here (DNS rebinding) is refused by
/// that. *Origin*: requests that a browser sends for another site's page are refused, whatever they
/// want. *Token*: its client must have the role that is needed, if one is.
class RequestGuard {
 public:
  explicit RequestGuard(GuardOptions options) : options_(std::move(options)) {}

  /// Who asks, by a request's head, or its refusal: 400, 401, 403 or 421.
  [[nodiscard]] std::variant<Client, HttpResponse> admit(const HttpRequest& request,
                                                         Role needed) const;

 private:
  [[nodiscard]] std::variant<Client, HttpResponse> identify(const HttpRequest& request,
                                                            Role needed) const;

  GuardOptions options_;
};

/// Headers of every answer: what browsers may do with it.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& security_headers();

}  // namespace manyply
