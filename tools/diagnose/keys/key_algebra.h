// The numbers behind keys, as far as keys tell them: linear equations over GF(2).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_features.h"

namespace manyply {

/// Equations "these features' numbers XOR to that key", solved as they come.
class KeyEquations {
 public:
  enum class Added { kNew, kAgrees, kContradicts };

  KeyEquations() { row_of_.fill(kNone); }

  /// A contradicting equation is not kept.
  Added add(FeatureSet features, ZobristKey key);

  /// What the features' numbers XOR to; nothing where the equations leave that open, as they do for
  /// a single king's number: no position is without one.
  [[nodiscard]] std::optional<ZobristKey> value(FeatureSet features) const;

  [[nodiscard]] std::size_t rank() const { return rows_.size(); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Row {
    FeatureSet features;  ///< the first of them is in no earlier row's first place
    ZobristKey key;
  };

  /// Until no row takes a feature away; the first that is left, or KeyFeature::kCount.
  std::size_t reduce(FeatureSet& features, ZobristKey& key) const;

  std::vector<Row> rows_;
  std::array<std::size_t, KeyFeature::kCount> row_of_{};  ///< by the row's first feature
};

}  // namespace manyply
