// Memory on Windows: how much is available, and how to allocate large tables.
#include <malloc.h>
#include <windows.h>

#include <algorithm>

#include "core/base/system_memory.h"
#include "core/base/windows_large_page.h"

namespace manyply::system_memory {
std::uint64_t available() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return SIZE_MAX;
  // Windows commits memory when it is allocated, touched or not, so the commit limit counts too.
  std::uint64_t most =
      std::min({status.ullAvailPhys, status.ullAvailPageFile, status.ullAvailVirtual});
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits,
                                nullptr) != 0) {
    if ((limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0)
      most = std::min<std::uint64_t>(most, limits.ProcessMemoryLimit);
    if ((limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0)
      most = std::min<std::uint64_t>(most, limits.JobMemoryLimit);
  }
  return most;
}

void* allocate(std::uint64_t bytes) {
  if (const std::uint64_t page = large_page(); page != 0 && bytes >= page) {
    const std::uint64_t whole = (bytes + page - 1) / page * page;
    void* const data =
        VirtualAlloc(nullptr, whole, MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES, PAGE_READWRITE);
    if (data != nullptr) return data;  // fails if free memory is fragmented
  }
  note_small_pages(bytes);
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void free(void* data, std::uint64_t /*bytes*/) { VirtualFree(data, 0, MEM_RELEASE); }

void return_freed() { ::_heapmin(); }

}  // namespace manyply::system_memory
