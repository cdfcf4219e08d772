#include "bench/machine.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>

namespace manyply {

namespace {

std::string first_line_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "unknown";
  const std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string model = "unknown";
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(": ") + 2);
    break;
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

std::string commit() {
  return first_line_of("git -C '" MANYPLY_SOURCE_DIR
                       "' -c safe.directory='*' describe --always --dirty --abbrev=12 2>/dev/null");
}

}  // namespace manyply
