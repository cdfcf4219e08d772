// By which method a count is made. The answer does not depend on it.
#pragma once

#include <cstdint>

namespace manyply {

enum class Method : std::uint8_t {
  kHashed,          ///< subtree by subtree, with a table of positions if there is to be one
  kConfigurations,  ///< as a matrix of both sides' configurations (core/configurations)
  kAuto,            ///< whichever is expected to take less time
};

}  // namespace manyply
