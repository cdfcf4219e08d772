// The methods of counting. The answer does not depend on the method.
#pragma once

#include <cstdint>

namespace manyply {

enum class Method : std::uint8_t {
  kHashed,          ///< unit by unit, with a table of positions if the job has one
  kConfigurations,  ///< as a matrix of both sides' configurations (core/configurations)
  kAuto,            ///< the method that is expected to be faster
};

}  // namespace manyply
