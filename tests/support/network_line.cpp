#include "tests/support/network_line.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <stdexcept>

namespace manyply {
namespace {

constexpr const char* kOwnSpace = "/proc/thread-self/ns/net";

void must(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

sockaddr internet(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  sockaddr general{};
  std::memcpy(&general, &address, sizeof general);
  return general;
}

}  // namespace

std::unique_ptr<NetworkLine> NetworkLine::make() {
  const int device = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC);
  if (device < 0) return nullptr;
  close(device);
  // Tries on a separate thread, so that this thread keeps its namespaces.
  bool may = false;
  std::thread([&may] { may = unshare(CLONE_NEWNET) == 0; }).join();
  return may ? std::unique_ptr<NetworkLine>(new NetworkLine) : nullptr;
}

NetworkLine::NetworkLine() : home_(::open(kOwnSpace, O_RDONLY | O_CLOEXEC)) {
  must(home_ >= 0, kOwnSpace);
  for (const End end : {kNear, kFar}) open(end);
  must(setns(home_, CLONE_NEWNET) == 0, "setns");
  stop_ = eventfd(0, EFD_CLOEXEC);
  carrier_ = std::jthread([this] { carry(); });
}

NetworkLine::~NetworkLine() {
  const std::uint64_t one = 1;
  (void)!write(stop_, &one, sizeof one);
  carrier_.join();
  for (const int fd : {home_, spaces_[0], spaces_[1], ends_[0], ends_[1], stop_}) close(fd);
}

/// Moves this thread into a new namespace with one end of the line.
void NetworkLine::open(End end) {
  must(unshare(CLONE_NEWNET) == 0, "unshare");
  spaces_[end] = ::open(kOwnSpace, O_RDONLY | O_CLOEXEC);
  ends_[end] = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  must(ends_[end] >= 0, "/dev/net/tun");
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "line");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  must(ioctl(ends_[end], TUNSETIFF, &request) == 0, "TUNSETIFF");
  request.ifr_addr = internet(kAddresses[end]);
  must(ioctl(control, SIOCSIFADDR, &request) == 0, "SIOCSIFADDR");
  request.ifr_dstaddr = internet(kAddresses[1 - end]);
  must(ioctl(control, SIOCSIFDSTADDR, &request) == 0, "SIOCSIFDSTADDR");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  must(ioctl(control, SIOCSIFFLAGS, &request) == 0, "SIOCSIFFLAGS");
  close(control);
}

void NetworkLine::at(End end, const std::function<void()>& work) const {
  must(setns(spaces_[end], CLONE_NEWNET) == 0, "setns");
  work();
  must(setns(home_, CLONE_NEWNET) == 0, "setns");
}

void NetworkLine::carry() {
  std::minstd_rand random(1);
  std::array<char, 65536> packet;
  for (;;) {
    std::array<pollfd, 3> sources{
        {{ends_[kNear], POLLIN, 0}, {ends_[kFar], POLLIN, 0}, {stop_, POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0) continue;
    if (sources[2].revents != 0) return;
    for (const End to : {kNear, kFar}) {
      const ssize_t size = read(ends_[1 - to], packet.data(), packet.size());
      if (size <= 0) continue;
      const bool is_lost = std::uniform_int_distribution(0, 99)(random) < lost_[to];
      if (!is_lost) (void)!write(ends_[to], packet.data(), static_cast<std::size_t>(size));
    }
  }
}

}  // namespace manyply
