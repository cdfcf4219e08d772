// The address of the database, and whether a connection to it is secure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A connection to PostgreSQL, in libpq's terms. Absent values come from the environment, a
/// service file and a password file, as in every program that uses libpq.
struct DatabaseAddress {
  std::string conninfo = {};  ///< "host=db dbname=perft" or a URI; may be empty
  bool insecure = false;      ///< allow network connections without TLS
};

/// Returns the parameters that a connection would use, by name: those of `address`, else of the
/// environment and the service file, else libpq's defaults. kInvalidInput if the text is invalid,
/// sets `service` (use PGSERVICE), or contains a password, which would be visible in the list of
/// processes.
Result<std::vector<std::pair<std::string, std::string>>> connection_parameters(
    const DatabaseAddress& address);

/// Returns whether connections to `host` stay on this machine: a socket's folder, a loopback
/// address, or the empty string, which means a socket.
[[nodiscard]] bool is_local_host(std::string_view host);

/// Returns an error if these parameters are insecure: a remote host without enforced TLS.
[[nodiscard]] std::optional<Error> why_insecure(
    const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace manyply
