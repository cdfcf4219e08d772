// Places threads on cores, and memory on memory nodes (NUMA), with hwloc. This matters only on a
// machine with several memory nodes. In a build without hwloc, load() returns kUnavailable.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/base/result.h"

namespace manyply {

/// The placement of table pages and of worker threads. By default the system decides.
struct Placement {
  bool interleave_tables = false;  ///< spread the pages of shared tables over all memory nodes
  bool pin_workers = false;        ///< keep each worker on one core; spread workers over all cores
  friend constexpr bool operator==(const Placement&, const Placement&) = default;
};

/// The cores and memory nodes that this process may use. Any thread may use the object.
class Topology {
 public:
  /// Returns kUnavailable if the program was built without hwloc or if hwloc cannot read the
  /// machine.
  static Result<Topology> load();

  ~Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  /// Asks the system to spread the `bytes` bytes at `data` over all memory nodes, page by page.
  /// Call it before the first access to the memory. Returns the error if the system refuses.
  [[nodiscard]] std::optional<Error> interleave(void* data, std::size_t bytes) const;

  /// Pins the calling thread to one core until the Pin is destroyed on the same thread. The cores
  /// of `workers` workers are spread over the machine. The thread gets the core of worker `worker`.
  /// If pinning fails, nothing changes.
  class Pin {
   public:
    Pin(const Topology& topology, int worker, int workers);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  struct Handle;
  explicit Topology(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace manyply
