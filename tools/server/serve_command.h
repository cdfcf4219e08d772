// `perft serve`: the whole server, from its options to its end.
#pragma once

#include <filesystem>
#include <string>

#include "tools/command/command.h"
#include "tools/server/listen_address.h"

namespace manyply {

[[nodiscard]] Command serve_command();

/// The secret in a token file: its one line. Refused are files that other users can read, and
/// secrets that can be guessed or that no header can carry. Errors name the file.
Result<std::string> read_token_file(const std::filesystem::path& file);

/// Where a user's jobs are kept unless told otherwise: $XDG_STATE_HOME/manyply, else
/// ~/.local/state/manyply.
Result<std::filesystem::path> default_state_directory();

}  // namespace manyply
