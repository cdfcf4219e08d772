// A proxy between a client and a server on UNIX sockets. It cuts their connection once, at a chosen
// place: before, inside or after the n-th message of the client.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace manyply {

class CuttingProxy {
 public:
  enum class Cut : std::uint8_t {
    kBefore,  ///< no byte of the message arrives
    kInside,  ///< half of the message arrives
    kAfter,   ///< the message arrives and is answered, but the answer is lost
  };

  /// Listens on `path`, connects to `server_path`. Throws std::runtime_error.
  CuttingProxy(const std::string& path, std::string server_path);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  /// Sets the next cut: at message `number`, counted from 0 from now on. Any thread.
  void cut(Cut how, int number);
  /// Returns whether the connection has been cut.
  [[nodiscard]] bool has_cut() const { return remaining_ < 0; }

 private:
  void accept_all();
  void serve(int client);

  const std::string path_;
  const std::string server_path_;
  const int listener_;
  std::atomic<int> remaining_ = -1;  // messages until the cut; below 0: no cut
  std::atomic<Cut> how_ = Cut::kBefore;
  std::jthread acceptor_;
};

}  // namespace manyply
