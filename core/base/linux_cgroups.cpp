#include <fstream>
#include <string>

#include "core/base/cgroups.h"

namespace manyply {

bool Cgroup::limits(std::string_view controller) const {
  return controllers.find("," + std::string(controller) + ",") != std::string_view::npos;
}

void visit_cgroups(const std::filesystem::path& membership,
                   const std::function<void(const Cgroup&)>& visit) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "9:memory:/group" or "0::/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    for (auto path = std::filesystem::path(line.substr(second + 1)).relative_path();;
         path = path.parent_path()) {
      visit({controllers, path});
      if (path.empty()) break;
    }
  }
}

}  // namespace manyply
