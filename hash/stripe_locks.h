// Spin locks for tables that several threads use. A small number of locks guards many buckets (lock
// striping).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace manyply {

/// Tells the processor that this thread waits in a loop.
inline void spin_pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Prefetches a cache line for writing. Other cores lose their copies of the line.
///
/// On x86-64, always uses the instruction PREFETCHW. Processors that do not have this instruction
/// ignore it. Compilers translate __builtin_prefetch(…, 1) to PREFETCHW only if the target is known
/// to have it.
inline void prefetch_to_write(const void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

/// The interface of StripeLocks without locks, for tables that only one thread uses. Never waits.
class NoLocks {
 public:
  explicit NoLocks(std::size_t /*stripes*/) {}

  struct Guard {
    Guard(NoLocks& /*locks*/, std::uint64_t /*bucket*/) {}
    ~Guard() {}  // NOLINT(modernize-use-equals-default): avoids warnings about unused variables
  };
  struct Attempt {
    Attempt(NoLocks& /*locks*/, std::uint64_t /*bucket*/) {}
    static constexpr bool held() { return true; }
  };

  [[nodiscard]] static std::size_t stripes() { return 1; }
  void prefetch(std::uint64_t /*bucket*/) const {}
};

#if defined(__wasm__) && !defined(_REENTRANT)
using StripeLocks = NoLocks;  // one thread needs no locks, and two types would double the code
#else

/// Spin locks. Their number is a power of two. Each lock is on its own cache line to avoid false
/// sharing. A thread takes a lock to access one bucket (in a PositionSet: one shard), and releases
/// the lock before it takes another. Any thread may use the locks.
class StripeLocks {
 public:
  /// Precondition: `stripes` is a power of two.
  explicit StripeLocks(std::size_t stripes) : stripes_(new Stripe[stripes]), mask_(stripes - 1) {
    MANYPLY_CHECK(stripes > 0 && (stripes & mask_) == 0);
  }

  /// Waits until the stripe of `bucket` is free, and holds it as long as the Guard exists.
  class Guard {
   public:
    Guard(StripeLocks& locks, std::uint64_t bucket)
        : busy_(locks.stripes_[bucket & locks.mask_].busy) {
      // Acquire makes the writes of the previous holder visible here. The release in the destructor
      // makes the writes of this thread visible to the next holder.
      while (busy_.exchange(1, std::memory_order_acquire) != 0) {
        while (busy_.load(std::memory_order_relaxed) != 0) spin_pause();
      }
    }
    ~Guard() { busy_.store(0, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic<std::uint32_t>& busy_;
  };

  /// Tries to take the stripe of `bucket`, and holds it as long as the Attempt exists. Gives up if
  /// another thread holds the stripe for longer than access to one bucket takes. So a thread does
  /// not wait for a holder that the system has suspended.
  class Attempt {
   public:
    Attempt(StripeLocks& locks, std::uint64_t bucket)
        : busy_(locks.stripes_[bucket & locks.mask_].busy), held_(take()) {}
    ~Attempt() {
      if (held_) busy_.store(0, std::memory_order_release);
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    [[nodiscard]] bool held() const { return held_; }

   private:
    [[nodiscard]] bool take() const {
      constexpr int kPauses = 64;  // a few microseconds
      for (int pause = 0; pause < kPauses; ++pause) {
        if (busy_.exchange(1, std::memory_order_acquire) == 0) return true;  // acquire: see Guard
        spin_pause();
      }
      return false;
    }

    std::atomic<std::uint32_t>& busy_;
    const bool held_;
  };

  [[nodiscard]] std::size_t stripes() const { return mask_ + 1; }

  /// Prefetches the stripe's cache line for writing. Call it some time before making a Guard or an
  /// Attempt.
  void prefetch(std::uint64_t bucket) const { prefetch_to_write(&stripes_[bucket & mask_]); }

 private:
  struct alignas(64) Stripe {
    std::atomic<std::uint32_t> busy{0};
  };
  std::unique_ptr<Stripe[]> stripes_;
  std::size_t mask_;
};

#endif

}  // namespace manyply
