// Two network namespaces and a line between them that loses what it is told to lose.
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

  /// Null where this program has no right to make namespaces, or there is no /dev/net/tun.
  static std::unique_ptr<NetworkLine> make();
  ~NetworkLine();
  NetworkLine(const NetworkLine&) = delete;
  NetworkLine& operator=(const NetworkLine&) = delete;

  /// Runs `work` in the namespace of that end, where the processes stay that it starts.
  void at(End end, const std::function<void()>& work) const;
  /// From now on so many packets of a hundred do not arrive there. Any thread.
  void lose(End to, int percent) { lost_[to] = percent; }
  void lose(int percent) { lose(kNear, percent), lose(kFar, percent); }

 private:
  NetworkLine();
  void open(End end);
  void carry();

  int home_ = -1;  // a namespace, as those below
  std::array<int, 2> spaces_{-1, -1};
  std::array<int, 2> ends_{-1, -1};
  int stop_ = -1;
  std::array<std::atomic<int>, 2> lost_{};  // percent, by where it goes
  std::jthread carrier_;
};

}  // namespace manyply
