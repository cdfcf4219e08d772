// Waiting for what other threads and processes do.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/budget.h"

namespace manyply {

/// Asks until `holds` does, or says false. Generous: sanitizers, emulators and busy machines are
/// slow, and nothing is asserted about time itself.
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
