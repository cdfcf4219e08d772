// A library that LD_PRELOAD loads into a server. It kills the server after the next synchronisation
// of a file if the path in $KILL_AFTER_SYNC exists: after a commit, but before a client receives
// the response.
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
