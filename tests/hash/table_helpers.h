// Helpers for tests of tables: numbered keys, a count for each key, and threads that start at the
// same moment. If a probe returns neither zero nor the count of its key, the table has mixed up
// entries.
#pragma once

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/base/memory.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "tests/support/budget.h"

namespace manyply {

inline ZobristKey key_number(std::uint64_t number) {
  const Hash128 hash = xxh3_128(std::as_bytes(std::span(&number, 1)), 1);
  return {hash.low, hash.high};
}

/// Like key_number(), but returns only 2^bits different keys.
inline ZobristKey weak_key_number(std::uint64_t number, int bits) {
  const std::uint64_t random = key_number(number).high & ((std::uint64_t{1} << bits) - 1);
  return {random << (64 - bits), random};
}

/// Returns the count of a key, from 1 to 2^bits - 1. Each bit is set in the counts of some keys.
inline std::uint64_t count_for(const ZobristKey& key, int bits) {
  const std::uint64_t words[] = {key.low, key.high};
  return xxh3_64(std::as_bytes(std::span(words)), 2) % ((std::uint64_t{1} << bits) - 1) + 1;
}

inline TableMemory memory_of(std::uint64_t bytes) { return TableMemory::allocate(bytes).value(); }

/// Number of operations of each thread if many share a table.
inline constexpr std::uint64_t kOperations = budget(100'000);

/// Runs body(0) … body(threads - 1), each on its own thread. No thread begins before all have
/// started.
template <typename Body>
void run_together(int threads, const Body& body) {
  std::barrier start(threads);
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      start.arrive_and_wait();
      body(thread);
    });
  }
}

}  // namespace manyply
