// Every benchmark program says where its figures come from, in its text and in its JSON.

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
