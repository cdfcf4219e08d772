// Included before every mutated kernel; see mutants.h.
#pragma once

namespace manyply {
extern const int active_mutant;  ///< 0 for none
}
