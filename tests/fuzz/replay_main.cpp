// Runs one fuzz target on the empty input and on every file of the corpus folders in its arguments.
// Returns exit code 2 if a folder is missing or empty, because a replay without input would pass
// unnoticed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void replay(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

size_t replay_folder(const std::filesystem::path& folder) {
  size_t files = 0;
  std::error_code no_folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder, no_folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    replay(std::string(std::istreambuf_iterator<char>(in), {}));
    ++files;
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  replay("");
  for (int i = 1; i < argc; ++i) {
    const size_t files = replay_folder(argv[i]);
    std::printf("%s: %zu inputs\n", argv[i], files);
    if (files == 0) return 2;
  }
  return 0;
}
