#include "tools/diagnose/keys/key_table.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "core/fen.h"

namespace manyply {
namespace {

FeatureSet feature_set(std::initializer_list<std::size_t> features) {
  FeatureSet set;
  for (const std::size_t feature : features) set.flip(feature);
  return set;
}

TEST(FeatureSet, IsAVectorOverTwoElements) {
  const FeatureSet a = feature_set({0, 63, 64, 800});
  EXPECT_TRUE(a.has(0) && a.has(63) && a.has(64) && a.has(800));
  EXPECT_FALSE(a.has(1) || a.has(65));
  EXPECT_EQ(a.first(), 0U);
  EXPECT_EQ(a.first(1), 63U);
  EXPECT_EQ(a.first(65), 800U);
  EXPECT_EQ(a.first(801), std::size_t{KeyFeature::kCount});
  EXPECT_TRUE((a ^ a).empty());
  EXPECT_EQ(a ^ feature_set({63}), feature_set({0, 64, 800}));
}

TEST(KeyEquations, TellWhatFollowsAndNothingElse) {
  KeyEquations equations;
  const ZobristKey a{5, 1};
  const ZobristKey b{9, 2};
  EXPECT_EQ(equations.add(feature_set({1, 2}), a), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.add(feature_set({2, 3}), b), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.value(feature_set({1, 3})), a ^ b);
  EXPECT_FALSE(equations.value(feature_set({1})));
  EXPECT_FALSE(equations.value(feature_set({1, 2, 3})));
  EXPECT_EQ(equations.add(feature_set({1, 3}), a ^ b), KeyEquations::Added::kAgrees);
  EXPECT_EQ(equations.add(feature_set({1, 3}), a), KeyEquations::Added::kContradicts);
  EXPECT_EQ(equations.value(feature_set({1, 3})), a ^ b) << "a contradiction is not kept";
  EXPECT_EQ(equations.add(feature_set({3}), {7, 0}), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.value(feature_set({1})), (a ^ b ^ ZobristKey{7, 0}));
  EXPECT_EQ(equations.rank(), 3U);
  EXPECT_EQ(equations.value({}), ZobristKey{});
}

TEST(KeyEquations, SolveRandomOnesOfEveryFeature) {
  std::mt19937_64 random(3);
  std::array<ZobristKey, KeyFeature::kCount> numbers{};
  for (ZobristKey& number : numbers) number = {random(), random()};
  KeyEquations equations;
  for (std::size_t i = 0; i < 2 * KeyFeature::kCount; ++i) {
    FeatureSet features;
    ZobristKey key;
    for (std::size_t feature = 0; feature < KeyFeature::kCount; ++feature) {
      if (random() % 4 != 0) continue;
      features.flip(feature);
      key ^= numbers[feature];
    }
    ASSERT_NE(equations.add(features, key), KeyEquations::Added::kContradicts);
  }
  for (std::size_t feature = 0; feature < KeyFeature::kCount; ++feature)
    EXPECT_EQ(equations.value(feature_set({feature})), numbers[feature])
        << name_of_feature(feature);
}

TEST(KeyFeatures, AreThoseOfThePosition) {
  const auto position = parse_position("4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")->position;
  const auto features = features_of(position, Square::kD6);
  ASSERT_TRUE(features);
  std::string text;
  for (std::size_t at = features->first(); at < KeyFeature::kCount; at = features->first(at + 1))
    text += name_of_feature(at) + ", ";
  EXPECT_EQ(text,
            "white pawn e5, white rook a1, white rook h1, white king e1, black pawn d5, black king "
            "e8, castling KQ, en passant d6, the constant in every key, ");
  EXPECT_FALSE(features_of(parse_position("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1")->position, {}))
      << "a right that only Chess960 has";
}

}  // namespace
}  // namespace manyply
