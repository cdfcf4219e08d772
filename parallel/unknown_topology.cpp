// Implements Topology in a build without hwloc. load() fails, so the other functions are never
// called.
#include <utility>

#include "parallel/workers.h"

namespace manyply {

struct Topology::Handle {};
struct Topology::Pin::State {};

Result<Topology> Topology::load() {
  return Error{ErrorCode::kUnavailable, "topology", 0, "this program was built without hwloc"};
}
std::optional<Error> Topology::interleave(void*, std::size_t) const { return std::nullopt; }
Topology::Pin::Pin(const Topology&, int, int) {}
Topology::Pin::~Pin() = default;

Topology::Topology(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;

}  // namespace manyply
