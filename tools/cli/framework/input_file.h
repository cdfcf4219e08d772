// Files that commands read whole; `-` is standard input.
#pragma once

#include <string>

#include "core/result.h"
#include "tools/cli/framework/io.h"

namespace manyply {

/// What people are told of `file`: "standard input" of `-`.
[[nodiscard]] std::string name_of_input(const std::string& file);

/// All bytes of it. Errors name the file; kCancelled after a stop request.
Result<std::string> read_input(const std::string& file, const Io& io);

}  // namespace manyply
