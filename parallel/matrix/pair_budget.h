// The bytes of a budget that plies of pairs use.
#pragma once

#include <cstdint>
#include <utility>

#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// Bytes that one owner has taken from a budget. The destructor gives them back. The budget must
/// outlive the share. Not thread-safe.
class BudgetShare {
 public:
  BudgetShare() = default;  ///< without a budget: all functions do nothing
  explicit BudgetShare(MatrixBudget& budget) : budget_(&budget) {}
  ~BudgetShare() { give_all_back(); }
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    if (this != &other) {
      give_all_back();
      budget_ = other.budget_;
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

  /// Sets the number of bytes in use. If the budget has too few bytes left, throws MatrixDoesNotFit
  /// and changes nothing.
  void set(std::uint64_t bytes) {
    if (budget_ == nullptr) return;
    if (bytes > bytes_) {
      take(bytes - bytes_);
    } else {
      budget_->give_back(bytes_ - bytes);
    }
    bytes_ = bytes;
  }
  /// Increases the number of bytes in use by `bytes`. Throws the same as set().
  void add(std::uint64_t bytes) { set(bytes_ + bytes); }

 private:
  void give_all_back() noexcept {
    if (budget_ != nullptr) budget_->give_back(std::exchange(bytes_, 0));
  }
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
