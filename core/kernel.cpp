#include "core/kernel.h"

#include <string>
#include <vector>

#include "core/kernel_registry.h"
#include "core/pext_tables.h"
#include "core/scalar_kernel.h"

#if MANYPLY_X86
#include <cpuid.h>
#endif

namespace manyply {

namespace {

#if MANYPLY_X86
/// AMD before Zen 3 (family 0x19) runs PEXT in microcode.
bool has_fast_pext() {
  if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt")) return false;
  if (!__builtin_cpu_is("amd")) return true;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const unsigned family = ((eax >> 8) & 0xF) + ((eax >> 20) & 0xFF);
  return family >= 0x19;
}

bool runs_avx() { return __builtin_cpu_supports("avx") && __builtin_cpu_supports("popcnt"); }

bool runs_avx2() { return runs_bmi2() && __builtin_cpu_supports("avx2"); }

bool runs_avx512() {
  return runs_avx2() && __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

}  // namespace

#if MANYPLY_X86
bool runs_bmi2() {
  return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt");
}
#endif

std::span<const Kernel> all_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> list;
#if MANYPLY_X86
    prepare_pext_tables(has_fast_pext());
    list.push_back(avx512::kKernel);
    list.push_back(avx2::kKernel);
    list.push_back(avx::kKernel);
#endif
    list.push_back(portable::kKernel);
    return list;
  }();
  return kernels;
}

bool runs_here(const Kernel& kernel) {
#if MANYPLY_X86
  if (kernel.name == avx512::kKernel.name) return runs_avx512();
  if (kernel.name == avx2::kKernel.name) return runs_avx2();
  if (kernel.name == avx::kKernel.name) return runs_avx();
#endif
  return kernel.name == portable::kKernel.name || kernel.name == scalar::kKernel.name;
}

const Kernel& scalar_kernel() {
#if MANYPLY_X86
  all_kernels();  // fills the tables
  if (runs_bmi2()) return bmi2::kKernel;
#endif
  return scalar::kKernel;
}

const Kernel& best_kernel() {
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) return kernel;
  }
  return all_kernels().back();
}

Result<const Kernel*> find_kernel(std::string_view name) {
  if (name == "auto") return &best_kernel();
#if MANYPLY_X86
  // Once a kernel, and slower than this one wherever it ran.
  if (name == "bmi2") return find_kernel(avx::kKernel.name);
#endif
  std::string names = "auto";
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.name == name) {
      if (runs_here(kernel)) return &kernel;
      return Error{ErrorCode::kUnavailable, "kernel", 0,
                   "this machine cannot run '" + std::string(name) + "'"};
    }
    names += ", " + std::string(kernel.name);
  }
  return Error{ErrorCode::kInvalidInput, "kernel", 0,
               "'" + std::string(name) + "' is none of " + names};
}

}  // namespace manyply
