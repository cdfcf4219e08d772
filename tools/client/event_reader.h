// Parses Server-Sent Events from bytes as they arrive.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace manyply {

/// A complete event.
struct ServerEvent {
  std::string name;
  std::string data;
};

/// Parses the event stream format of browsers (WHATWG HTML, 9.2). Used by one thread at a time.
/// Drops events of more than kMaxBytes, which our server never sends.
class EventReader {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  /// Adds received bytes, and calls `on_event` for each event that they complete.
  void feed(std::string_view bytes, const std::function<void(const ServerEvent&)>& on_event);
  /// Call it when the connection has ended: drops an incomplete event, keeps last_id() and retry().
  void reset();

  /// Of the last complete event; empty if none has one.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }
  /// Returns how long to wait before reconnecting, if the server has sent that.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void take_line(const std::function<void(const ServerEvent&)>& on_event);

  std::string line_;
  /// The last byte was '\r', so a following '\n' is part of the line end.
  bool after_return_ = false;
  bool too_long_ = false;
  ServerEvent event_;
  bool has_data_ = false;
  std::string id_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace manyply
