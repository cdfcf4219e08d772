// NodeCount: an exact number of positions or paths, up to 2^128 - 1.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

/// Thrown if a count exceeds 128 bits, or if the move statistics of one subtree exceed 64 bits
/// (add_checked()). Jobs report it as ErrorCode::kOverflow.
class CountOverflow : public std::overflow_error {
 public:
  CountOverflow() : std::overflow_error("count exceeds 128 bits") {}
};

/// An exact count. Arithmetic is checked: it throws CountOverflow instead of wrapping around. For
/// example, perft(14) of the start position needs 66 bits.
class NodeCount {
 public:
  __extension__ using Word = unsigned __int128;

  constexpr NodeCount() = default;
  constexpr NodeCount(std::uint64_t value) : value_(value) {}
  constexpr static NodeCount from_words(std::uint64_t high, std::uint64_t low) {
    NodeCount count;
    count.value_ = (static_cast<Word>(high) << 64) | low;
    return count;
  }

  /// Parses a number that is written in decimal digits only, without sign or separators. Returns
  /// kInvalidInput for any other text and for numbers above 128 bits.
  static Result<NodeCount> parse(std::string_view text);

  constexpr NodeCount& operator+=(NodeCount other) {
    if (__builtin_add_overflow(value_, other.value_, &value_)) throw CountOverflow();
    return *this;
  }
  constexpr NodeCount& operator*=(NodeCount other) {
    if (__builtin_mul_overflow(value_, other.value_, &value_)) throw CountOverflow();
    return *this;
  }
  friend constexpr NodeCount operator+(NodeCount a, NodeCount b) { return a += b; }
  friend constexpr NodeCount operator*(NodeCount a, NodeCount b) { return a *= b; }
  friend constexpr auto operator<=>(NodeCount, NodeCount) = default;

  [[nodiscard]] constexpr std::uint64_t high() const {
    return static_cast<std::uint64_t>(value_ >> 64);
  }
  [[nodiscard]] constexpr std::uint64_t low() const { return static_cast<std::uint64_t>(value_); }
  [[nodiscard]] constexpr bool fits_64_bits() const { return high() == 0; }
  /// Returns the nearest double. Use it only for rates and estimates.
  [[nodiscard]] constexpr double approximate() const { return static_cast<double>(value_); }
  [[nodiscard]] std::string to_string() const;

 private:
  Word value_ = 0;
};

}  // namespace manyply
