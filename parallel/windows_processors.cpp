#include <windows.h>

#include <bit>

#include "parallel/processors.h"

namespace manyply {

// Beyond 64, processors are in groups. A process that has not been tied down has those of all.
int usable_processors() {
  DWORD_PTR ours = 0;
  DWORD_PTR system = 0;
  const int all = static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  if (GetActiveProcessorGroupCount() > 1 ||
      GetProcessAffinityMask(GetCurrentProcess(), &ours, &system) == 0 || ours == 0)
    return all;
  return std::popcount(ours);
}

}  // namespace manyply
