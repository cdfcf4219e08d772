// Resources for a count; they do not change the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/kernel.h"
#include "core/method.h"

namespace manyply {

/// Threads, kernel, method and table of a count.
struct Limits {
  int threads = 0;                                ///< 0 = all cores that this process may use
  const Kernel* kernel = nullptr;                 ///< null = the fastest one
  Method method = Method::kAuto;                  ///< used if the mode does not determine it
  std::optional<std::uint64_t> table_bytes = {};  ///< 0 = no table; nullopt = chosen for the count
  std::optional<std::uint64_t> key_seed = {};     ///< seed of the table's random keys
  std::optional<int> key_bits = {};  ///< fewer bits than the default make weak keys, for tests
  std::uint64_t memory_bytes = 0;    ///< of the process in a count by configurations; 0 = automatic
  std::size_t parts = 0;             ///< of a count by configurations; 0 = automatic
  bool table_is_given = false;       ///< table size and seed are defaults, not the user's choice
  bool pin_workers = false;          ///< each worker stays on one core
  bool interleave_tables = false;    ///< spread over all memory nodes
};

}  // namespace manyply
