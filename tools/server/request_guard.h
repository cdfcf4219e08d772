// Checks the Host, Origin and Authorization headers before a request has any effect.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/server/access_list.h"
#include "tools/server/http/http_message.h"

namespace manyply {

/// Settings of a RequestGuard.
struct GuardOptions {
  /// The access list; clients send "Authorization: Bearer TOKEN". If null, every client may do
  /// everything.
  std::shared_ptr<const Clients> clients;
};

/// Decides which client sent a request and whether it may proceed. Safe to use from any thread.
///
/// *Host*: localhost and IP addresses are always accepted; other names only if there is an access
/// list. This stops DNS rebinding: a foreign page whose name was made to resolve to this server.
/// *Origin*: requests that a browser sends on behalf of another site's page are refused. *Token*:
/// the client must have the required role.
class RequestGuard {
 public:
  explicit RequestGuard(GuardOptions options) : options_(std::move(options)) {}

  /// Returns the client that sent a request with this head, or the refusal: 400, 401, 403 or 421.
  [[nodiscard]] std::variant<Client, HttpResponse> admit(const HttpRequest& request,
                                                         Role needed) const;

 private:
  [[nodiscard]] std::variant<Client, HttpResponse> identify(const HttpRequest& request,
                                                            Role needed) const;

  GuardOptions options_;
};

/// Headers of every response that restrict what browsers may do with it.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& security_headers();

}  // namespace manyply
