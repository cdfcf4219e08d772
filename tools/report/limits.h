// With what a question is answered: none of it changes the answer.
#pragma once

#include <cstdint>
#include <optional>

#include "core/kernel.h"
#include "core/method.h"

namespace manyply {

struct Limits {
  int threads = 0;                                ///< 0 = every core this process may use
  const Kernel* kernel = nullptr;                 ///< null = the best one
  Method method = Method::kAuto;                  ///< where the mode leaves a choice
  std::optional<std::uint64_t> table_bytes = {};  ///< 0 = no table; none = what the count can use
  std::optional<std::uint64_t> key_seed = {};     ///< of the table's random keys
  std::optional<int> key_bits = {};               ///< fewer than all are weak keys, on purpose
  std::uint64_t memory_bytes = 0;                 ///< of a count by configurations; 0 = its choice
  bool table_is_given = false;                    ///< its size and seed are nobody's wish for one
  bool pin_workers = false;                       ///< each stays on one core
  bool interleave_tables = false;                 ///< over all memory nodes
};

}  // namespace manyply
