// A library that LD_PRELOAD loads into a server. If the path in $KILL_AFTER_SYNC exists, the
// library kills the server after the next synchronisation of a file. At this time, a commit is
// done, but no client has received the response.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace {

int then_die(const char* function, int file) {
  const int done = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, function))(file);
  const char* const trigger = std::getenv("KILL_AFTER_SYNC");
  if (trigger != nullptr && access(trigger, F_OK) == 0) kill(getpid(), SIGKILL);
  return done;
}

}  // namespace

extern "C" {
int fsync(int file) { return then_die("fsync", file); }
int fdatasync(int file) { return then_die("fdatasync", file); }
}
