// Resources for a count. They do not change the result, unless `key_bits` makes keys so weak that
// false matches occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/memory.h"
#include "core/base/result.h"
#include "core/counting.h"
#include "core/kernel.h"

namespace manyply {

/// Threads, kernel, method and table of a count.
struct CountOptions {
  int threads = 0;                 ///< 0 = all cores that this process may use
  const Kernel* kernel = nullptr;  ///< null = the fastest one
  /// Used only in mode count; other modes determine the method.
  Method method = Method::kAuto;
  std::optional<std::uint64_t> table_bytes = {};  ///< 0 = no table; nullopt = chosen for the count
  std::optional<std::uint64_t> key_seed = {};     ///< seed of the table's random keys
  std::optional<int> key_bits = {};  ///< nullopt = all; with fewer bits, keys are weak (for tests)
  /// Memory of the whole process in a count by configurations, in bytes; 0 = automatic.
  std::uint64_t memory_bytes = 0;
  /// Number of parts of a count by configurations; 0 = automatic.
  std::size_t parts = 0;
  bool table_is_given = false;     ///< table size and seed are defaults, not the user's choice
  bool pin_workers = false;        ///< each worker stays on one core
  bool interleave_tables = false;  ///< spread tables over all NUMA nodes
};

// Tries a smaller table if a table of the default size cannot be allocated.

/// Returns the result of count(count_options). If the default table cannot be allocated, tries
/// 256 MiB, 128 MiB and so on down to 1 MiB until a table can be allocated, and describes the last
/// try in `note`. If the user chose the table size, returns the error and tries no other size.
template <typename Count>
[[nodiscard]] auto with_smaller_tables(CountOptions count_options, std::string& note,
                                       const Count& count) {
  constexpr std::uint64_t kFirst = std::uint64_t{256} << 20;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  auto found = count(count_options);
  std::string why;
  // If the user chose the size, try no other size.
  if (count_options.table_bytes && !count_options.table_is_given) return found;
  for (std::uint64_t bytes = kFirst; bytes >= kLeast; bytes /= 2) {
    if (found || found.error().code != ErrorCode::kUnavailable || found.error().field != "hash")
      break;
    if (why.empty()) why = found.error().message;
    note = "memory: " + why + "; counted with " + format_bytes(bytes);
    count_options.table_bytes = bytes;
    count_options.table_is_given = true;
    found = count(count_options);
  }
  return found;
}

}  // namespace manyply
