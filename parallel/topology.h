// The machine's memory nodes and cores, through hwloc. On a machine with one node nothing here is
// needed; built without hwloc, everything answers that it is not available.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/result.h"

namespace manyply {

/// Where tables and workers go.
struct Placement {
  bool interleave_tables = false;  ///< the shared tables' pages in turn on every memory node
  bool pin_workers = false;        ///< worker i stays on one core, workers spread over all of them
  friend constexpr bool operator==(const Placement&, const Placement&) = default;
};

/// A view of the cores and memory nodes that this process may use. Any thread.
class Topology {
 public:
  /// kUnavailable without hwloc, or when it cannot read the machine.
  static Result<Topology> load();

  ~Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  /// Asks for the pages of this memory, not yet touched, in turn from every node.
  [[nodiscard]] std::optional<Error> interleave(void* data, std::size_t bytes) const;

  /// Ties the calling thread to worker `worker`'s core, of `workers` spread over the machine, until
  /// the pin is destroyed on the same thread.
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
