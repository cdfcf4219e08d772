#include <array>

#include "tools/engine/child_process.h"

namespace manyply {

/// Returns the text that Linux has for the signal.
std::string signal_text(int number) {
  constexpr std::array<const char*, 32> kTexts{"",
                                               "Hangup",
                                               "Interrupt",
                                               "Quit",
                                               "Illegal instruction",
                                               "Trace/breakpoint trap",
                                               "Aborted",
                                               "Bus error",
                                               "Floating point exception",
                                               "Killed",
                                               "User defined signal 1",
                                               "Segmentation fault",
                                               "User defined signal 2",
                                               "Broken pipe",
                                               "Alarm clock",
                                               "Terminated",
                                               "Stack fault",
                                               "Child exited",
                                               "Continued",
                                               "Stopped (signal)",
                                               "Stopped",
                                               "Stopped (tty input)",
                                               "Stopped (tty output)",
                                               "Urgent I/O condition",
                                               "CPU time limit exceeded",
                                               "File size limit exceeded",
                                               "Virtual timer expired",
                                               "Profiling timer expired",
                                               "Window changed",
                                               "I/O possible",
                                               "Power failure",
                                               "Bad system call"};
  if (number < 0 || number >= static_cast<int>(kTexts.size())) return "";
  return kTexts[static_cast<std::size_t>(number)];
}

}  // namespace manyply
