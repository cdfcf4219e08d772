#include "core/base/node_count.h"

#include <algorithm>

#include "core/base/text.h"

namespace manyply {

Result<NodeCount> NodeCount::parse(std::string_view text) {
  const auto refuse = [&](const char* why) {
    return Error{ErrorCode::kInvalidInput, "count", 0, quote(text) + " " + why};
  };
  if (text.empty()) return refuse("is not a whole number");
  NodeCount count;
  for (const char c : text) {
    if (!is_digit(c)) return refuse("is not a whole number");
    if (__builtin_mul_overflow(count.value_, Word{10}, &count.value_) ||
        __builtin_add_overflow(count.value_, static_cast<Word>(c - '0'), &count.value_)) {
      return refuse("exceeds 128 bits");
    }
  }
  return count;
}

std::string NodeCount::to_string() const {
  std::string digits;
  Word rest = value_;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace manyply
