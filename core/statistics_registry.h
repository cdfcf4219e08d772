// The statistics kernels this program was built with. Private to core/.
#pragma once

#include "core/kernel_registry.h"
#include "core/move_statistics.h"

namespace manyply {

namespace portable {
extern const StatisticsKernel kStatisticsKernel;
}

#if MANYPLY_X86
namespace bmi2 {
extern const StatisticsKernel kStatisticsKernel;
}
#endif

}  // namespace manyply
