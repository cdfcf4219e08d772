// Where the database is, and which ways there are safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace manyply {

/// What a connection to PostgreSQL is made of, as libpq takes it: the rest comes from the
/// environment, a service file and a password file, as with every program that uses libpq.
struct DatabaseAddress {
  std::string conninfo = {};  ///< "host=db dbname=perft service=…" or an URI; may be empty
  bool insecure = false;      ///< over a network without TLS, too
};

/// The parameters that a connection would use, by name: those of `address`, else those of the
/// environment and the service file, else libpq's own. kInvalidInput where the text makes no sense
/// or holds a password: that would stand in a list of processes.
Result<std::vector<std::pair<std::string, std::string>>> connection_parameters(
    const DatabaseAddress& address);

/// Whether everything to `host` stays on this machine: a socket's folder, a loopback address, or
/// nothing at all, which is a socket.
[[nodiscard]] bool is_local_host(std::string_view host);

/// Why these parameters must not be used as they are: a host elsewhere, and TLS that is not
/// insisted on.
[[nodiscard]] std::optional<Error> why_insecure(
    const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace manyply
