// Counts two plies of each position of a sample several times, for tools such as instructions.sh,
// valgrind --tool=callgrind and perf. It needs only core/, so it runs on emulated processors.
//
// usage: two_ply_passes KERNEL SAMPLE PASSES

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/sample.h"
#include "core/kernel.h"

namespace manyply {
namespace {

int run(std::string_view kernel_name, std::string_view sample_name, int passes) {
  const auto kernel = find_kernel(kernel_name);
  if (!kernel) {
    std::fprintf(stderr, "two_ply_passes: %s\n", kernel.error().to_string().c_str());
    return 2;
  }
  for (const Sample& sample : samples()) {
    if (sample.name != sample_name) continue;
    std::vector<std::uint32_t> leaves(sample.boards.size());
    for (int pass = 0; pass < passes; ++pass) {
      (*kernel)->count_two_plies(sample.boards.data(), sample.boards.size(), leaves.data());
      std::uint64_t sum = 0;
      for (const std::uint32_t count : leaves) sum += count;
      if (sum != sample.grandchildren) {
        std::fprintf(stderr, "two_ply_passes: wrong sum\n");
        return 1;
      }
    }
    std::printf("positions %zu\n", sample.boards.size());
    return 0;
  }
  std::fprintf(stderr, "two_ply_passes: no sample of that name\n");
  return 2;
}

}  // namespace
}  // namespace manyply

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: two_ply_passes KERNEL SAMPLE PASSES\n");
    return 2;
  }
  return manyply::run(argv[1], argv[2], std::atoi(argv[3]));
}
