#include "parallel/units/kept_units.h"

#include <utility>

namespace manyply {

Result<KeptUnits> KeptUnits::open(UnitStore& store, const StoredJob& job, const Take& take,
                                  Give give) {
  auto opened = store.open(job);
  if (!opened) return opened.error();
  KeptUnits kept(store, std::move(give));
  kept.known_.resize(job.units);
  kept.known_units_ = opened->known();
  for (std::size_t unit = 0; unit < job.units; ++unit) {
    kept.known_[unit] = opened->knows(unit);
    if (opened->knows(unit)) take(unit, opened->of(unit));
  }
  return kept;
}

}  // namespace manyply
