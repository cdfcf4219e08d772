// Who may ask: Host, Origin and token, before anything is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/http_message.h"

namespace manyply {

struct GuardOptions {
  /// What clients must send as "Authorization: Bearer …"; absent: nothing.
  std::optional<std::string> token;
};

/// What a request wants, as far as the token goes.
enum class Access : std::uint8_t {
  kToken,  ///< for those who have the token, if there is one
  kOpen,   ///< for everybody who may ask at all
};

/// Immutable; any thread.
///
/// *Host*: names of this machine (localhost, IP addresses) always; other names only with a token.
/// A page elsewhere whose name was made to point here (DNS rebinding) is refused by that.
/// *Origin*: requests that a browser sends for another site's page are refused, whatever they want.
/// *Token*: needed wherever the access is not kOpen.
class RequestGuard {
 public:
  explicit RequestGuard(GuardOptions options) : options_(std::move(options)) {}

  /// The refusal of a request's head, if it is one: 400, 401, 403 or 421.
  [[nodiscard]] std::optional<HttpResponse> refusal(const HttpRequest& request,
                                                    Access access) const;

 private:
  GuardOptions options_;
};

/// Headers of every answer: what browsers may do with it.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& security_headers();

/// Takes as long for any two texts of `given`'s length, whatever they hold.
[[nodiscard]] bool equal_in_constant_time(std::string_view secret, std::string_view given);

}  // namespace manyply
