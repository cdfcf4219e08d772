#include "tools/wasm/runtime/math.h"

#include <gmock/gmock.h>

#include <random>

namespace manyply::wasm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the distance in units of the last place of `right`.
double ulps(double found, double right) {
  if (found == right) return 0;
  return std::abs(found - right) / (std::nextafter(std::abs(right), kInfinity) - std::abs(right));
}

TEST(Math, LogarithmsAreTheLibrarysButForTheLastTwoBits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponents(-1022, 1023);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::exp2(i % 2 == 0 ? exponents(random) : exponents(random) / 512);
    if (std::abs(x - 1) < 0.5) continue;  // small logarithms are tested below
    ASSERT_LE(ulps(log2_of(x), std::log2(x)), 4) << x;
    ASSERT_LE(ulps(log_of(x), std::log(x)), 4) << x;
  }
  for (double x = 0.5; x < 1.5; x += 1.0 / 65536) {
    ASSERT_NEAR(log_of(x), std::log(x), 2e-16) << x;
    ASSERT_NEAR(log2_of(x), std::log2(x), 4e-16) << x;
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(log2_of(std::ldexp(1, i)), i);
}

TEST(Math, PowersAreTheLibrarysButForTheLastTwoBits) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponents(-1020, 1020);
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 2 == 0 ? exponents(random) : exponents(random) / 1024;
    ASSERT_LE(ulps(exp2_of(x), std::exp2(x)), 4) << x;
  }
  for (int i = -1022; i < 1024; ++i) EXPECT_EQ(exp2_of(i), std::ldexp(1, i));
  for (const double base : {0.001, 0.5, 1.5, 20.0, 30.7, 2439530234167.0})
    for (const double exponent : {-3.0, -0.4, 0.5, 0.62, 1.0, 2.0, 7.0, 20.0})
      EXPECT_NEAR(pow_of(base, exponent) / std::pow(base, exponent), 1, 1e-13)
          << base << ' ' << exponent;
}

TEST(Math, WhereThereIsNoNumberTheyAnswerAsTheLibraryDoes) {
  for (const double x : {0.0, 1.0, kInfinity}) {
    EXPECT_EQ(log2_of(x), std::log2(x));
    EXPECT_EQ(log_of(x), std::log(x));
    EXPECT_EQ(exp2_of(x), std::exp2(x));
    EXPECT_EQ(exp2_of(-x), std::exp2(-x));
    for (const double exponent : {-1.5, 0.0, 2.0})
      EXPECT_EQ(pow_of(x, exponent), std::pow(x, exponent)) << x << ' ' << exponent;
  }
  for (const double x : {-1.0, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(log2_of(x)));
    EXPECT_TRUE(std::isnan(log_of(x)));
  }
  EXPECT_TRUE(std::isnan(exp2_of(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace manyply::wasm
