// Command lines of the engines of tests/tools/diagnose/broken_engine.cpp.
#pragma once

#include <string>

#include "tests/e2e/perft.h"
#include "tests/tools/diagnose/hunts.h"

namespace manyply {

/// Returns the command line of an engine. `arguments` are its bug or `none`, the form of questions
/// that it reads, and the form of its answers.
inline std::string broken(const std::string& arguments) {
  return engine_command(MANYPLY_BROKEN_ENGINE, arguments);
}

}  // namespace manyply
