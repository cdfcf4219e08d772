// Result<T>: a value or an Error. It is the return type of functions whose failure a user can
// cause.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace manyply {

enum class ErrorCode {
  kInvalidInput,  ///< a text or option that cannot be parsed or makes no sense
  kIllegal,       ///< well-formed, but against the rules of chess
  kOverflow,      ///< a count exceeds 128 bits
  kCancelled,     ///< stopped on request; the result is incomplete and is not returned
  kUnavailable,   ///< memory, a file or an instruction set is missing
  kInternal,      ///< a bug in Manyply
};

/// An expected failure and its place. `column` is the number of a byte in the parsed text, counted
/// from 1. It is 0 if no column applies.
struct Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string field;
  int column = 0;
  std::string message;

  /// Returns one line, such as "castling: no rook on h1 (column 24)".
  [[nodiscard]] std::string to_string() const {
    std::string text = field.empty() ? message : field + ": " + message;
    if (column > 0) text += " (column " + std::to_string(column) + ")";
    return text;
  }
};

/// Returns the error for work that was stopped on request.
[[nodiscard]] inline Error cancelled() { return {ErrorCode::kCancelled, "", 0, "cancelled"}; }

/// Either a T or an Error. value(), `*` and `->` throw BugError if it is an Error; error() throws
/// BugError if it is a T.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& {
    MANYPLY_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  /// Returns by value, so that `for (x : *count())` and `const auto& x = *count()` do not dangle.
  [[nodiscard]] T value() && {
    MANYPLY_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    MANYPLY_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace manyply
