// The engines of tests/tools/diagnose/broken_engine.cpp, as commands.
#pragma once

#include <string>

#include "tests/e2e/perft.h"
#include "tests/tools/diagnose/hunts.h"

namespace manyply {

/// The command line of an engine with a bug, or `none`, and with a way to be asked and to print.
inline std::string broken(const std::string& arguments) {
  return engine_command(MANYPLY_BROKEN_ENGINE, arguments);
}

}  // namespace manyply
