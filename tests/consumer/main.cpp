#include <cstdio>

#include "core/counting.h"
#include "parallel/jobs/job.h"

int main() {
  const auto root = manyply::parse_position("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1").value();
  std::printf("count %s\n",
              manyply::count_nodes(root.position, manyply::Depth(4))->to_string().c_str());
  const auto report = manyply::run_job({root, manyply::Depth(5)}, {}).value();
  std::printf("job %s\n", report.nodes.to_string().c_str());
  const auto rows = manyply::divide(root.position, manyply::Depth(1)).value();
  for (const auto& [move, nodes] : rows) std::printf("%s\n", to_uci(move, root.notation).c_str());
}
