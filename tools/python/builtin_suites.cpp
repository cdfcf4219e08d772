// The wheel's suites. They are unpacked up to the one that is asked for, at some megabyte a second.
#include "tools/cli/builtin_suites.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/python/text_model.h"

namespace manyply {
namespace {

constexpr auto kPacked = std::to_array<std::uint8_t>({
#include "packed_suites.inc"
});

/// See Packer.
class Unpacker {
 public:
  Unpacker() {
    for (int i = 0; i < 4; ++i) read();
  }
  /// The text up to the next zero.
  std::string text() {
    std::string whole;
    while (const char next = letter()) whole += next;
    return whole;
  }

 private:
  char letter() {
    unsigned letter = 0;
    for (int i = 0; i < 8; ++i) letter = letter << 1 | (bit() ? 1U : 0U);
    return static_cast<char>(letter);
  }
  bool bit() {
    const std::uint32_t middle = least_ + (most_ - least_) / TextModel::kCertain * model_.chance();
    const bool bit = here_ <= middle;
    (bit ? most_ : least_) = bit ? middle : middle + 1;
    model_.learn(bit);
    for (; (least_ ^ most_) >> 24 == 0; least_ <<= 8, most_ = most_ << 8 | 255) read();
    return bit;
  }
  void read() { here_ = here_ << 8 | (at_ < kPacked.size() ? kPacked[at_++] : 0U); }

  TextModel model_;
  std::size_t at_ = 0;
  std::uint32_t least_ = 0;
  std::uint32_t most_ = 0xFFFF'FFFF;
  std::uint32_t here_ = 0;
};

}  // namespace

std::optional<std::string_view> builtin_suite(std::string_view name) {
  static const auto unpacker = std::make_unique<Unpacker>();
  static std::array<std::string, kPackedSuites.size()> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) texts[i] = unpacker->text();
    if (kPackedSuites[i] == name) return texts[i];
  }
  return std::nullopt;
}

}  // namespace manyply
