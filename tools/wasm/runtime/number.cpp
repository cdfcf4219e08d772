// strtod, of decimal numbers: those of JSON, and in streams. libc's has 7 KB: for all precisions,
// and hexadecimal.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

/// A number of any size, the least word first.
class Big {
 public:
  void multiply_and_add(std::uint32_t factor, std::uint32_t more) {
    std::uint64_t carry = more;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }
  void times_power_of_10(int power) {
    while (power-- > 0) multiply_and_add(10, 0);
  }
  void times_power_of_2(int power) {
    while (power-- > 0) multiply_and_add(2, 0);
  }
  [[nodiscard]] int bits() const {
    return words_.empty() ? 0
                          : static_cast<int>(words_.size() * 32) - std::countl_zero(words_.back());
  }
  void subtract(const Big& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t minus = borrow + (i < other.words_.size() ? other.words_[i] : 0);
      borrow = words_[i] < minus ? 1 : 0;
      words_[i] -= static_cast<std::uint32_t>(minus);
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }
  [[nodiscard]] bool is_below(const Big& other) const {
    if (words_.size() != other.words_.size()) return words_.size() < other.words_.size();
    for (std::size_t i = words_.size(); i-- > 0;)
      if (words_[i] != other.words_[i]) return words_[i] < other.words_[i];
    return false;
  }

 private:
  std::vector<std::uint32_t> words_;
};

/// `digits` * 10^`power`, rounded as IEEE 754 has it.
double rounded(Big digits, int power) {
  Big divisor;
  divisor.multiply_and_add(0, 1);
  digits.times_power_of_10(power);
  divisor.times_power_of_10(-power);
  const int magnitude = digits.bits() - divisor.bits();
  digits.times_power_of_2(-magnitude);
  divisor.times_power_of_2(magnitude);
  // The quotient is between 1/2 and 2: as many bits of it as there is room for.
  std::uint64_t quotient = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const bool one = !digits.is_below(divisor);
    if (one) digits.subtract(divisor);
    quotient = quotient << 1 | (one ? 1U : 0U);
    digits.times_power_of_2(1);
  }
  const int lowest = magnitude - 63;  // what the lowest bit is worth
  constexpr int kLeast = -1074;
  const int dropped = std::max(64 - std::countl_zero(quotient) - 53, kLeast - lowest);
  if (dropped > 64) return 0;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t kept = dropped == 64 ? 0 : quotient >> dropped;
  const std::uint64_t rest = dropped == 64 ? quotient : quotient & (2 * half - 1);
  if (rest > half || (rest == half && (digits.bits() != 0 || kept % 2 != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), lowest + dropped);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

extern "C" {

double strtod(const char* text, char** end) {
  const char* at = text;
  while (std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  constexpr int kMost = 800;  // digits; no two neighbours' middle has more
  constexpr int kFarthest = 10'000;
  Big digits;
  int count = 0;
  int power = 0;
  bool any = false;
  bool behind_point = false;
  bool rest = false;
  for (;; ++at) {
    if (*at == '.' && !behind_point) {
      behind_point = true;
    } else if (is_digit(*at)) {
      any = true;
      if (count < kMost) {
        digits.multiply_and_add(10, static_cast<std::uint32_t>(*at - '0'));
        if (digits.bits() != 0) ++count;
      } else {
        rest = rest || *at != '0';
        ++power;
      }
      if (behind_point) --power;
    } else {
      break;
    }
  }
  if (end != nullptr) *end = const_cast<char*>(any ? at : text);
  if (!any) return 0;
  if (*at == 'e' || *at == 'E') {
    ++at;
    const bool below = *at == '-';
    if (*at == '-' || *at == '+') ++at;
    int exponent = 0;
    for (; is_digit(*at); ++at) {
      exponent = std::min(exponent * 10 + (*at - '0'), kFarthest);
      if (end != nullptr) *end = const_cast<char*>(at + 1);
    }
    power += below ? -exponent : exponent;
  }
  if (rest) {  // as much as a digit that comes behind all others
    digits.multiply_and_add(10, 1);
    --power;
  }
  double value = 0;
  if (digits.bits() != 0) {
    if (count + power > 310) {
      value = HUGE_VAL;
    } else if (count + power > -330) {
      value = rounded(std::move(digits), power);
    }
  }
  return negative ? -value : value;
}

// Nobody's, but libc has them in one object with it.
float strtof(const char* text, char** end) { return static_cast<float>(strtod(text, end)); }
long double strtold(const char* text, char** end) { return strtod(text, end); }

}  // extern "C"
