// Reads input files as a whole; `-` is standard input.
#pragma once

#include <string>

#include "core/base/result.h"
#include "tools/cli/framework/io.h"

namespace manyply {

/// Returns the name of `file` for messages; "standard input" for `-`.
[[nodiscard]] std::string name_of_input(const std::string& file);

/// Returns all bytes of the file. Errors name the file; kCancelled after a stop request.
Result<std::string> read_input(const std::string& file, const Io& io);

}  // namespace manyply
