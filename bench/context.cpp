// Adds the machine and the commit to the output of every benchmark program, as text and in JSON.

#include <benchmark/benchmark.h>

#include "bench/machine.h"

namespace manyply {
namespace {

[[maybe_unused]] const bool said = [] {
  benchmark::AddCustomContext("machine", machine());
  benchmark::AddCustomContext("commit", commit());
  return true;
}();

}  // namespace
}  // namespace manyply
