// Registers benchmarks once for each kernel that this machine can run.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

#include "bench/sample.h"
#include "core/kernel.h"

namespace manyply {

/// Calls `add(kernel)` for each kernel that this machine can run. Returns true, so that a static
/// variable can be initialised with it.
template <typename Add>
bool for_each_kernel(Add add) {
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) add(kernel);
  }
  return true;
}

/// Registers a benchmark `name`/SAMPLE/KERNEL for each sample and kernel. The benchmark times
/// `body(kernel, sample)`, which processes the whole sample and must return `sample.*expected`.
template <typename Body>
bool register_passes(const std::string& name, std::uint64_t Sample::* expected, Body body) {
  return for_each_kernel([&](const Kernel& kernel) {
    for (const Sample& sample : samples()) {
      const std::string full_name = name + "/" + sample.name + "/" + std::string(kernel.name);
      benchmark::RegisterBenchmark(full_name.c_str(), [&kernel, &sample, expected,
                                                       body](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) {
          if (body(kernel, sample) != sample.*expected) state.SkipWithError("wrong sum");
        }
        using benchmark::Counter;
        state.counters["per_position"] =
            Counter(static_cast<double>(sample.boards.size()),
                    Counter::kIsIterationInvariantRate | Counter::kInvert);
        state.counters["moves"] =
            Counter(static_cast<double>(sample.*expected), Counter::kIsIterationInvariantRate);
      })->Unit(benchmark::kMillisecond);
    }
  });
}

}  // namespace manyply
