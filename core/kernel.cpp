#include "core/kernel.h"

#include <string>
#include <vector>

#include "core/kernels/kernel_registry.h"
#include "core/kernels/slider_tables.h"

#if MANYPLY_X86
#include <cpuid.h>
#endif

namespace manyply {

namespace {

#if MANYPLY_X86
/// Returns whether this processor has PEXT and executes it fast. AMD processors before Zen 3
/// (family 0x19) execute PEXT in microcode, which is slow.
bool has_fast_pext() {
  if (!Extensions::of_this_processor().include(Extensions::of("bmi2,popcnt"))) return false;
  if (!__builtin_cpu_is("amd")) return true;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const unsigned family = ((eax >> 8) & 0xF) + ((eax >> 20) & 0xFF);
  return family >= 0x19;
}
#endif

}  // namespace

std::span<const Kernel> all_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> list;
#if MANYPLY_X86
    prepare_pext_tables(has_fast_pext());
#endif
#define MANYPLY_LIST(space, name) list.push_back(space::kKernel);
    MANYPLY_ALL_SETS(MANYPLY_LIST)
#undef MANYPLY_LIST
    return list;
  }();
  return kernels;
}

bool runs_here(const Kernel& kernel) {
  return Extensions::of_this_processor().include(kernel.needs);
}

const Kernel& scalar_kernel() { return scalar::kKernel; }

const Kernel& best_kernel() {
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) return kernel;
  }
  return all_kernels().back();
}

Result<const Kernel*> find_kernel(std::string_view name) {
  if (name == "auto") return &best_kernel();
  std::string names = "auto";
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.name == name) {
      if (runs_here(kernel)) return &kernel;
      return Error{ErrorCode::kUnavailable, "kernel", 0,
                   "this machine cannot run '" + std::string(name) + "': the processor lacks " +
                       kernel.needs.without(Extensions::of_this_processor()).to_string()};
    }
    names += ", " + std::string(kernel.name);
  }
  return Error{ErrorCode::kInvalidInput, "kernel", 0,
               "'" + std::string(name) + "' is not one of " + names};
}

}  // namespace manyply
