// Lets a count find out whether its caller has requested a stop.
#pragma once

#include <concepts>

namespace manyply {

/// A view of a source of stop requests. The source must outlive the view. It may be of any type
/// with stop_requested(), for example std::stop_token. The code that counts does not use
/// std::stop_token directly, because platforms without threads do not have it. Any thread may call
/// stop_requested() if the source allows this.
class StopView {
 public:
  /// Makes a view without a source. Its stop_requested() is always false.
  constexpr StopView() = default;

  template <typename Source>
    requires requires(const Source& source) {
      { source.stop_requested() } -> std::same_as<bool>;
    }
  constexpr StopView(const Source& source)  // implicit, because views usually are
      : source_(&source), asks_([](const void* viewed) {
          return static_cast<const Source*>(viewed)->stop_requested();
        }) {}

  [[nodiscard]] bool stop_requested() const { return asks_ != nullptr && asks_(source_); }

 private:
  const void* source_ = nullptr;
  bool (*asks_)(const void*) = nullptr;
};

}  // namespace manyply
