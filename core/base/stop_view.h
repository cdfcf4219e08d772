// How a count learns that its caller has cancelled it.
#pragma once

#include <concepts>

namespace manyply {

/// A view of a source of stop requests, which must outlive the view. The source is any type with
/// stop_requested(), for example std::stop_token. core/ and hash/ do not use std::stop_token
/// directly, because platforms without threads lack it. Any thread may call stop_requested() if the
/// source allows it.
class StopView {
 public:
  /// A view without a source: never stops.
  constexpr StopView() = default;

  template <typename Source>
    requires requires(const Source& source) {
      { source.stop_requested() } -> std::same_as<bool>;
    }
  constexpr StopView(const Source& source)  // implicit, as views are
      : source_(&source), asks_([](const void* viewed) {
          return static_cast<const Source*>(viewed)->stop_requested();
        }) {}

  [[nodiscard]] bool stop_requested() const { return asks_ != nullptr && asks_(source_); }

 private:
  const void* source_ = nullptr;
  bool (*asks_)(const void*) = nullptr;
};

}  // namespace manyply
