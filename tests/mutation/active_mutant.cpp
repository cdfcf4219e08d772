#include "tests/mutation/active_mutant.h"

#include <cstdlib>

namespace manyply {

const int active_mutant = [] {
  const char* number = std::getenv("MANYPLY_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();

}  // namespace manyply
