// A program for Windows that tests start. Its arguments say what it does:
//
//   puppet args WORDS…     prints each word in brackets
//   puppet exit N          ends with that code
//   puppet crash           reads a null pointer
//   puppet echo            writes what it reads
//   puppet spawn           starts another one that never ends, and prints its number
//   puppet stay            never ends
#include <fcntl.h>
#include <io.h>
// The order of these includes matters.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on

#include <array>
#include <cstdio>
#include <string>

#include "core/base/windows_text.h"

namespace {

using manyply::windows::narrow;

int echo() {
  std::array<char, 4096> bytes;
  for (int count; (count = _read(0, bytes.data(), static_cast<unsigned>(bytes.size()))) > 0;)
    _write(1, bytes.data(), static_cast<unsigned>(count));
  return 0;
}

int stay() {
  Sleep(INFINITE);
  return 0;
}

int spawn(const std::wstring& own) {
  std::wstring line = L'"' + own + L"\" stay";
  STARTUPINFOW start{};
  start.cb = sizeof start;
  PROCESS_INFORMATION started{};
  if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start,
                     &started) == 0)
    return 1;
  std::printf("%lu\n", started.dwProcessId);
  std::fflush(stdout);
  return stay();
}

}  // namespace

int main() {
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  const std::wstring order = count > 1 ? words[1] : L"";
  if (order == L"exit") return std::stoi(words[2]);
  if (order == L"crash") return *static_cast<volatile int*>(nullptr);
  if (order == L"echo") return echo();
  if (order == L"spawn") return spawn(words[0]);
  if (order == L"stay") return stay();
  for (int i = 2; i < count; ++i) std::printf("[%s]\n", narrow(words[i]).c_str());
  return 0;
}
