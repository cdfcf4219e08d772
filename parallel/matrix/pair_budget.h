// What plies of pairs may take of memory.
#pragma once

#include <cstdint>
#include <utility>

#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// Bytes that one owner has taken from a budget, which must outlive it; given back in the end. One
/// thread at a time.
class BudgetShare {
 public:
  BudgetShare() = default;  ///< of nobody: what it is told is not counted
  explicit BudgetShare(MatrixBudget& budget) : budget_(&budget) {}
  ~BudgetShare() { set(0); }
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    if (this != &other) {
      set(0);
      budget_ = other.budget_;
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

  /// It is so many now. Throws MatrixDoesNotFit, and is as before, where there are not so many.
  void set(std::uint64_t bytes) {
    if (budget_ == nullptr) return;
    if (bytes > bytes_) {
      take(bytes - bytes_);
    } else {
      budget_->give_back(bytes_ - bytes);
    }
    bytes_ = bytes;
  }
  /// So many more.
  void add(std::uint64_t bytes) { set(bytes_ + bytes); }

 private:
  void take(std::uint64_t bytes) {
    try {
      budget_->take(bytes);
    } catch (...) {
      budget_->give_back(bytes);
      throw;
    }
  }

  MatrixBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace manyply
