// Waits for events in other threads and processes.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/budget.h"

namespace manyply {

/// Calls `holds` until it returns true, then returns true. Returns false after a time limit, which
/// is long, because sanitizers, emulators and busy machines are slow. The limit only ends tests
/// that would hang.
inline bool eventually(const std::function<bool()>& holds,
                       std::chrono::seconds patience = std::chrono::minutes(10)) {
  const auto end = std::chrono::steady_clock::now() + patience * (budget_divisor() > 1 ? 10 : 1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace manyply
