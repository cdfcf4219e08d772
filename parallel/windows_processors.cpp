#include <windows.h>

#include <algorithm>
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

// A thread is of one group, before Windows 11 that of its process.
void spread_thread(int thread) {
  const WORD groups = GetActiveProcessorGroupCount();
  if (groups < 2) return;
  DWORD number = static_cast<DWORD>(thread) % GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  WORD group = 0;
  for (; number >= GetActiveProcessorCount(group); ++group)
    number -= GetActiveProcessorCount(group);
  constexpr DWORD kMost = 64;
  const DWORD count = std::min(GetActiveProcessorCount(group), kMost);
  GROUP_AFFINITY affinity{};
  affinity.Mask = ~KAFFINITY{0} >> (kMost - count);
  affinity.Group = group;
  SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr);
}

}  // namespace manyply
