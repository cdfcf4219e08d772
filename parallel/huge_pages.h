// Memory that is large and looked at all over.
#pragma once

#include <cstdint>
#include <memory_resource>

namespace manyply {

/// What is large comes from the system, on huge pages where it has as many as one has: on small
/// ones, looks all over it wait for where its pages are, and each first touch of one is the
/// system's business. The rest is as from operator new. Any thread.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

/// While one lives, huge_pages() keeps some of what is given back for whoever asks next: what comes
/// from the system has to be cleared first. Any thread.
class KeepHugePages {
 public:
  /// No more than so many bytes.
  explicit KeepHugePages(std::uint64_t most_bytes);
  ~KeepHugePages();
  KeepHugePages(const KeepHugePages&) = delete;
  KeepHugePages& operator=(const KeepHugePages&) = delete;

 private:
  const std::uint64_t most_bytes_;
};

}  // namespace manyply
