// Falls back to a smaller table if the default size cannot be allocated.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/memory.h"
#include "core/base/result.h"
#include "tools/report/limits.h"

namespace manyply {

/// Calls count(limits). If the table that the count chose cannot be allocated, tries smaller sizes
/// until it can; `note` then says so in one sentence.
template <typename Count>
[[nodiscard]] auto with_smaller_tables(Limits limits, std::string& note, const Count& count) {
  constexpr std::uint64_t kFirst = std::uint64_t{256} << 20;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  auto found = count(limits);
  std::string why;
  // If the user chose the size, report the error instead.
  if (limits.table_bytes && !limits.table_is_given) return found;
  for (std::uint64_t bytes = kFirst; bytes >= kLeast; bytes /= 2) {
    if (found || found.error().code != ErrorCode::kUnavailable || found.error().field != "hash")
      break;
    if (why.empty()) why = found.error().message;
    note = "memory: " + why + "; counted with " + format_bytes(bytes);
    limits.table_bytes = bytes;
    limits.table_is_given = true;
    found = count(limits);
  }
  return found;
}

}  // namespace manyply
