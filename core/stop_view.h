// How a count learns that nobody waits for it any more.
#pragma once

#include <concepts>

namespace manyply {

/// Whether somebody wants work to end: a view of whatever knows it, which must outlive the view.
/// Anything that answers stop_requested() will do, std::stop_token among them; core/ and hash/ name
/// none, since some platforms have no threads and so no std::stop_token. Any thread, if what it
/// views may be asked by any.
class StopView {
 public:
  /// Of nobody: never stops.
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
