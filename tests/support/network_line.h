// Two network namespaces, and a connection between them that loses a given share of packets.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace manyply {

class NetworkLine {
 public:
  enum End : std::uint8_t { kNear, kFar };
  static constexpr std::array<const char*, 2> kAddresses{"10.87.0.1", "10.87.0.2"};

  /// Returns null if this program may not create namespaces or /dev/net/tun does not exist.
  static std::unique_ptr<NetworkLine> make();
  ~NetworkLine();
  NetworkLine(const NetworkLine&) = delete;
  NetworkLine& operator=(const NetworkLine&) = delete;

  /// Runs `work` on the calling thread, in the network namespace of `end`. Processes that `work`
  /// starts stay there. Throws std::runtime_error if the system refuses.
  void at(End end, const std::function<void()>& work) const;
  /// From now on, drops `percent` % of the packets to end `to`. Any thread may call it.
  void lose(End to, int percent) { lost_[to] = percent; }
  void lose(int percent) { lose(kNear, percent), lose(kFar, percent); }

 private:
  NetworkLine();
  void open(End end);
  void carry();

  // File descriptors:
  int home_ = -1;                           // namespace of the thread that called make()
  std::array<int, 2> spaces_{-1, -1};       // namespaces of both ends
  std::array<int, 2> ends_{-1, -1};         // TUN devices of both ends
  int stop_ = -1;                           // eventfd; a write ends carry()
  std::array<std::atomic<int>, 2> lost_{};  // in percent, by destination
  std::jthread carrier_;
};

}  // namespace manyply
