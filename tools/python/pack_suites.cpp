// pack_suites FOLDER: prints the bytes that builtin_suites.cpp unpacks.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tools/python/text_model.h"

namespace manyply {
namespace {

/// All that can still follow is a part of [least_, most_], which shrinks bit by bit; what its ends
/// have in common is known.
class Packer {
 public:
  void add(char letter) {
    for (int bit = 7; bit >= 0; --bit) add((letter >> bit & 1) != 0);
  }
  void end() {
    for (int i = 0; i < 4; ++i) {
      put(least_ >> 24);
      least_ <<= 8;
    }
  }

 private:
  void add(bool bit) {
    const std::uint32_t middle = least_ + (most_ - least_) / TextModel::kCertain * model_.chance();
    (bit ? most_ : least_) = bit ? middle : middle + 1;
    model_.learn(bit);
    for (; (least_ ^ most_) >> 24 == 0; least_ <<= 8, most_ = most_ << 8 | 255) put(least_ >> 24);
  }
  static void put(std::uint32_t byte) { std::cout << byte << ",\n"; }

  TextModel model_;
  std::uint32_t least_ = 0;
  std::uint32_t most_ = 0xFFFF'FFFF;
};

int pack(const std::string& folder) {
  Packer packer;
  for (const std::string_view name : kPackedSuites) {
    std::ifstream file(folder + '/' + std::string(name) + ".epd", std::ios::binary);
    if (!file) {
      std::cerr << "pack_suites: there is no suite '" << name << "' in " << folder << '\n';
      return 1;
    }
    for (auto at = std::istreambuf_iterator<char>(file); at != std::istreambuf_iterator<char>();
         ++at)
      packer.add(*at);
    packer.add('\0');
  }
  packer.end();
  return std::cout.flush() ? 0 : 1;
}

}  // namespace
}  // namespace manyply

int main(int argc, char** argv) { return argc == 2 ? manyply::pack(argv[1]) : 2; }
