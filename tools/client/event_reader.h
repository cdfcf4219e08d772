// Server-Sent Events, from bytes as they come.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace manyply {

struct ServerEvent {
  std::string name;
  std::string data;
};

/// Reads the format that browsers read (WHATWG HTML, 9.2). One thread. Events of more than
/// kMaxBytes are dropped: no server of ours sends them.
class EventReader {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  /// Calls `on_event` for each event that `bytes` complete.
  void feed(std::string_view bytes, const std::function<void(const ServerEvent&)>& on_event);
  /// The connection has ended: what has not been completed is dropped, what has been learnt is
  /// kept.
  void reset();

  [[nodiscard]] const std::string& last_id() const { return last_id_; }  ///< empty: none came
  /// How long to wait before coming back, if the server said so.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void take_line(const std::function<void(const ServerEvent&)>& on_event);

  std::string line_;
  bool after_return_ = false;  ///< the last byte was '\r': a '\n' belongs to it
  bool too_long_ = false;
  ServerEvent event_;
  bool has_data_ = false;
  std::string id_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace manyply
