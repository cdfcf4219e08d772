// Implements Topology with hwloc. In a build without hwloc, load() fails, so the other functions
// are never called.
#ifdef MANYPLY_HWLOC
#include <hwloc.h>
#endif

#include <cerrno>
#include <climits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "parallel/workers.h"

namespace manyply {

#ifdef MANYPLY_HWLOC
namespace {

struct BitmapFree {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

Error unavailable(const char* field, const std::string& what) {
  return {ErrorCode::kUnavailable, field, 0, what};
}

}  // namespace

struct Topology::Handle {
  hwloc_topology_t topology = nullptr;
  ~Handle() {
    if (topology != nullptr) hwloc_topology_destroy(topology);
  }
};

Result<Topology> Topology::load() {
  auto handle = std::make_unique<Handle>();
  if (hwloc_topology_init(&handle->topology) != 0 || hwloc_topology_load(handle->topology) != 0) {
    return unavailable("topology", "hwloc cannot read this machine");
  }
  return Topology(std::move(handle));
}

std::optional<Error> Topology::interleave(void* data, std::size_t bytes) const {
  const hwloc_const_bitmap_t nodes = hwloc_topology_get_topology_nodeset(handle_->topology);
  if (hwloc_set_area_membind(handle_->topology, data, bytes, nodes, HWLOC_MEMBIND_INTERLEAVE,
                             HWLOC_MEMBIND_BYNODESET) == 0) {
    return std::nullopt;
  }
  return unavailable("interleave",
                     std::string("the system refuses: ") + std::generic_category().message(errno));
}

struct Topology::Pin::State {
  hwloc_topology_t topology;
  Bitmap before;
};

Topology::Pin::Pin(const Topology& topology, int worker, int workers) {
  const hwloc_topology_t machine = topology.handle_->topology;
  std::vector<hwloc_cpuset_t> places(static_cast<std::size_t>(workers));
  hwloc_obj_t root = hwloc_get_root_obj(machine);
  if (hwloc_distrib(machine, &root, 1, places.data(), static_cast<unsigned>(workers), INT_MAX, 0) !=
      0)
    return;
  Bitmap before(hwloc_bitmap_alloc());
  const bool known = hwloc_get_cpubind(machine, before.get(), HWLOC_CPUBIND_THREAD) == 0;
  const hwloc_cpuset_t place = places[static_cast<std::size_t>(worker)];
  hwloc_bitmap_singlify(place);
  // If pinning fails, the system chooses the thread's core. The results stay correct, but the count
  // may be slower.
  if (known && hwloc_set_cpubind(machine, place, HWLOC_CPUBIND_THREAD) == 0) {
    state_ = std::make_unique<State>(State{machine, std::move(before)});
  }
  for (const hwloc_cpuset_t set : places) hwloc_bitmap_free(set);
}

Topology::Pin::~Pin() {
  if (state_) hwloc_set_cpubind(state_->topology, state_->before.get(), HWLOC_CPUBIND_THREAD);
}

#else

struct Topology::Handle {};
struct Topology::Pin::State {};

Result<Topology> Topology::load() {
  return Error{ErrorCode::kUnavailable, "topology", 0, "this program was built without hwloc"};
}
std::optional<Error> Topology::interleave(void*, std::size_t) const { return std::nullopt; }
Topology::Pin::Pin(const Topology&, int, int) {}
Topology::Pin::~Pin() = default;

#endif

Topology::Topology(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;

}  // namespace manyply
