// Configurations by number: each distinct one once, compared whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/configurations/configuration.h"

namespace manyply {

/// Numbers from 0 on, in the order of insertion. Insertion is for one thread; reading for any while
/// nobody inserts.
class ConfigurationSet {
 public:
  ConfigurationSet() = default;

  /// The number of `configuration`, which is new if it was not there.
  std::uint32_t insert(const Configuration& configuration);

  /// Fetches what insert(configuration) will look at first: for callers who know what comes.
  void prefetch(const Configuration& configuration) const;

  /// The number of `configuration`, if it is there.
  [[nodiscard]] std::optional<std::uint32_t> find(const Configuration& configuration) const;

  /// Makes room for so many.
  void reserve(std::size_t size);

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const Configuration& operator[](std::size_t number) const { return items_[number]; }

  /// Bytes in use, about.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void rehash(std::size_t slots);

  std::vector<Configuration> items_;
  std::vector<std::uint32_t> slots_;  // number + 1, or 0; open addressing, a power of two
};

}  // namespace manyply
