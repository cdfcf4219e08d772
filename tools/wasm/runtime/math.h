// Powers and logarithms in little code. The functions of wasi-libc contain 13 KB of tables that do
// not compress. The results are printed with a few digits, or used to choose the faster of two
// methods, so less accuracy is enough. Logarithms and exp2 may be wrong in the last two bits. The
// relative error of a power p is about ln(p) times the relative error of a logarithm.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace manyply::wasm {

/// Returns the value of a polynomial at a point.
template <std::size_t kSize>
double polynomial(const std::array<double, kSize>& coefficients, double at) {
  double sum = 0;
  for (std::size_t i = kSize; i-- > 0;) sum = sum * at + coefficients[i];
  return sum;
}

/// Element i is 1 / i!. With these elements, e^x is exact to the last bit for |x| <= log(2) / 2.
inline constexpr auto kExponential = [] {
  std::array<double, 15> all{};
  double factorial = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    factorial *= static_cast<double>(i > 1 ? i : 1);
    all[i] = 1 / factorial;
  }
  return all;
}();

/// Element i is 2 / (2 i + 1). log((1 + s) / (1 - s)) = s * sum over i of (element i * s^(2 i)).
/// Callers have |s| < 0.172.
inline constexpr auto kLogarithm = [] {
  std::array<double, 12> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = 2 / (2 * static_cast<double>(i) + 1);
  return all;
}();

struct Split {
  int exponent;
  double log;  // natural logarithm of the quotient x / 2^exponent, which is 0.707 to 1.414
};
/// Precondition: has_logarithm(x).
inline Split split(double x) {
  Split parts{};
  double fraction = std::frexp(x, &parts.exponent);  // 0.5 to 1
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --parts.exponent;
  }
  const double s = (fraction - 1) / (fraction + 1);
  parts.log = s * polynomial(kLogarithm, s * s);
  return parts;
}

inline bool has_logarithm(double x) { return x > 0 && x <= std::numeric_limits<double>::max(); }
/// Returns libc's result for numbers without a logarithm: -infinity for 0, infinity for infinity,
/// NaN for all others.
inline double no_logarithm(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  return x > 0 ? x : std::numeric_limits<double>::quiet_NaN();
}

inline double log2_of(double x) {
  if (!has_logarithm(x)) return no_logarithm(x);
  const Split parts = split(x);
  return parts.exponent + parts.log * std::numbers::log2e;
}

inline double log_of(double x) {
  if (!has_logarithm(x)) return no_logarithm(x);
  const Split parts = split(x);
  return parts.exponent * std::numbers::ln2 + parts.log;
}

inline double exp2_of(double x) {
  if (std::isnan(x)) return x;
  constexpr double kBeyond = 1100;  // larger than the absolute exponent of every double
  if (x >= kBeyond) return std::numeric_limits<double>::infinity();
  if (x <= -kBeyond) return 0;
  const double whole = std::rint(x);
  return std::ldexp(polynomial(kExponential, (x - whole) * std::numbers::ln2),
                    static_cast<int>(whole));
}

/// Precondition: the base is not negative.
inline double pow_of(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (base == 0) return exponent > 0 ? 0 : std::numeric_limits<double>::infinity();
  return exp2_of(exponent * log2_of(base));
}

}  // namespace manyply::wasm
