// The host, tools/wasm/npm/command.js, watches signals and pipes; it is asked now and then.
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "tools/command/console.h"
#include "tools/wasm/runtime/events.h"

// NOLINTBEGIN(readability-identifier-naming): names of the host's
extern "C" {
__attribute__((import_module("manyply"), import_name("terminal_columns"))) int
manyply_terminal_columns(int fd);
__attribute__((import_module("manyply"), import_name("has_output"))) int manyply_has_output();
/// 0, or else 1 after Ctrl-C, 2 once nobody reads standard output, 3 after SIGTERM.
__attribute__((import_module("manyply"), import_name("asked_to_stop"))) int manyply_asked_to_stop();
/// 1 if SIGTERM shall stop, and 2 if it shall matter that nobody reads.
__attribute__((import_module("manyply"), import_name("watch"))) void manyply_watch(int what);
}
// NOLINTEND(readability-identifier-naming)

namespace manyply::console {
namespace {

constexpr double kLookMilliseconds = 10;

}  // namespace

bool prepare() { return manyply_has_output() != 0; }

void watch_for_signals(std::stop_source stop, bool ends_on_sigterm) {
  if (ends_on_sigterm) manyply_watch(1);
  static const wasm::Repeated look(kLookMilliseconds, [stop = std::move(stop)] {
    const int why = manyply_asked_to_stop();
    if (why == 1 || why == 3) stop.request_stop();
  });
}

void watch_for_readers(Readers& readers) {
  manyply_watch(2);
  static const wasm::Repeated look(kLookMilliseconds, [&readers] {
    if (manyply_asked_to_stop() == 2) readers.left();
  });
}

bool is_terminal(int fd) { return manyply_terminal_columns(fd) > 0; }
int terminal_columns(int fd) { return manyply_terminal_columns(fd); }

}  // namespace manyply::console
