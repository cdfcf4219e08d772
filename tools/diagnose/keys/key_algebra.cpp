#include "tools/diagnose/keys/key_algebra.h"

namespace manyply {

std::size_t KeyEquations::reduce(FeatureSet& features, ZobristKey& key) const {
  // XORing a row changes nothing before its first feature, so one pass is enough.
  std::size_t left = KeyFeature::kCount;
  for (std::size_t at = features.first(); at < KeyFeature::kCount; at = features.first(at + 1)) {
    if (row_of_[at] == kNone) {
      if (left == KeyFeature::kCount) left = at;
      continue;
    }
    const Row& row = rows_[row_of_[at]];
    features ^= row.features;
    key ^= row.key;
  }
  return left;
}

KeyEquations::Added KeyEquations::add(FeatureSet features, ZobristKey key) {
  const std::size_t left = reduce(features, key);
  if (left == KeyFeature::kCount) return key == ZobristKey{} ? Added::kAgrees : Added::kContradicts;
  row_of_[left] = rows_.size();
  rows_.push_back({features, key});
  return Added::kNew;
}

std::optional<ZobristKey> KeyEquations::value(FeatureSet features) const {
  ZobristKey key;
  if (reduce(features, key) != KeyFeature::kCount) return std::nullopt;
  return key;
}

}  // namespace manyply
