#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "tests/support/system.h"

namespace manyply {

std::array<int, 2> open_pipe() {
  std::array<int, 2> ends{};
  std::signal(SIGPIPE, SIG_IGN);
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  return ends;
}

void on_small_stack(const std::function<void()>& body) {
  const auto run = [](void* what) -> void* {
    (*static_cast<std::function<void()>*>(what))();
    return nullptr;
  };
  std::function<void()> ours = body;
  pthread_attr_t attributes;
  pthread_t thread{};
  ::pthread_attr_init(&attributes);
  const bool runs = ::pthread_attr_setstacksize(&attributes, kSmallStackBytes) == 0 &&
                    ::pthread_create(&thread, &attributes, run, &ours) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!runs) throw std::runtime_error("no thread");
  ::pthread_join(thread, nullptr);
}

}  // namespace manyply
