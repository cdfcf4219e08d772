// Tests programs on Windows: the arguments that they receive, how they end, and which processes end
// with them.
#include <gmock/gmock.h>
// The order of these includes matters.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/base/files.h"
#include "core/base/windows_text.h"
#include "tools/engine/child_process.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using Clock = ChildProcess::Clock;
constexpr std::chrono::minutes kPatience{10};

/// The output of a program, and how it ends.
struct Life {
  std::string out;
  std::string err;
  int exit_code = -1;
};

Life life(const std::string& command, const std::vector<std::string>& arguments = {}) {
  const auto child = ChildProcess::start(command, arguments, {});
  if (!child) return {.out = {}, .err = child.error().to_string()};
  (*child)->close_input();
  Life life;
  for (std::string line;
       (*child)->next_line(line, Clock::now() + kPatience) == ChildProcess::Read::kLine;)
    life.out += line + '\n';
  life.exit_code = (*child)->wait(Clock::now() + kPatience);
  life.err = (*child)->errors();
  return life;
}

std::string puppet(const std::string& order) {
  return '"' + std::string(MANYPLY_PUPPET) + "\" " + order;
}

/// A folder whose name has a blank and a letter that is not in every code page.
class Folder {
 public:
  Folder() {
    std::wstring path(MAX_PATH + 1, L'\0');
    path.resize(GetTempPathW(static_cast<DWORD>(path.size()), path.data()));
    path_ = path + L"perft \u0105\u00f6 " + std::to_wstring(GetCurrentProcessId());
    CreateDirectoryW(path_.c_str(), nullptr);
  }
  ~Folder() {
    for (const std::wstring& file : files_) DeleteFileW(file.c_str());
    RemoveDirectoryW(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string copy_of_puppet(const std::wstring& name) {
    files_.push_back(path_ + L'\\' + name);
    EXPECT_NE(CopyFileW(windows::wide(MANYPLY_PUPPET).c_str(), files_.back().c_str(), FALSE), 0);
    return windows::narrow(files_.back());
  }
  std::string script(const std::wstring& name, std::string_view text) {
    files_.push_back(path_ + L'\\' + name);
    const std::string path = windows::narrow(files_.back());
    const int file = files::open_to_replace(path);
    EXPECT_TRUE(files::write_at(file, 0, std::as_bytes(std::span(text))));
    files::close(file);
    return path;
  }

 private:
  std::wstring path_;
  std::vector<std::wstring> files_;
};

TEST(WindowsQuotes, AreReadAsTheyWereMeant) {
  std::mt19937 random(1);
  constexpr std::wstring_view kLetters = L"\\\\\\\" a\t\u00fc'%^&";
  for (int round = 0; round < 2'000; ++round) {
    std::wstring line = L"program";
    std::vector<std::wstring> words(1 + random() % 4);
    for (std::wstring& word : words) {
      for (auto length = random() % 8; length > 0; --length)
        word += kLetters[random() % kLetters.size()];
      line += L' ' + windows::quoted(word);
    }
    int count = 0;
    wchar_t** const read = CommandLineToArgvW(line.c_str(), &count);
    ASSERT_EQ(static_cast<std::size_t>(count), words.size() + 1) << windows::narrow(line);
    for (std::size_t i = 0; i < words.size(); ++i)
      EXPECT_EQ(words[i], read[i + 1]) << windows::narrow(line);
    LocalFree(static_cast<void*>(read));
  }
}

TEST(WindowsText, GoesThereAndBack) {
  for (const std::string text : {"", "plain", "\xc3\xa4 \xe2\x99\x98 \xf0\x9f\x99\x82"})
    EXPECT_EQ(windows::narrow(windows::wide(text)), text);
  EXPECT_EQ(windows::wide("\xf0\x9f\x99\x82").size(), 2U);
  EXPECT_EQ(windows::narrow(windows::wide("a\xff")), "a\xef\xbf\xbd");
}

TEST(WindowsProcess, ArgumentsArriveAsTheyAre) {
  const std::vector<std::string> words{"a b",
                                       "c\"d",
                                       "e\\",
                                       "\\\\f g\\\\",
                                       "",
                                       "50%x",
                                       "^&|<>",
                                       "\xc4\x85\xe2\x99\x98",
                                       "rnbq/8/8 w - - 0 1"};
  std::string expected = "[first]\n";
  for (const std::string& word : words) expected += '[' + word + "]\n";
  const Life told = life(puppet("args first"), words);
  EXPECT_EQ(told.out, expected);
  EXPECT_EQ(told.exit_code, 0) << told.err;
}

TEST(WindowsProcess, ProgramsAreFoundAsPeopleNameThem) {
  Folder folder;
  const std::string path = folder.copy_of_puppet(L"my engine.exe");
  const std::string no_ending = path.substr(0, path.size() - 4);
  for (const std::string& name : {'"' + path + "\" args x", '"' + no_ending + "\" args x"}) {
    EXPECT_EQ(life(name).out, "[x]\n") << name;
  }
  for (const std::string& name : {path, no_ending, ' ' + path}) {  // as shells pass them
    EXPECT_EQ(life(name, {"args", "x"}).out, "[x]\n") << name;
  }
  std::string slashes = path;
  for (char& c : slashes) c = c == '\\' ? '/' : c;
  EXPECT_EQ(life('"' + slashes + "\" args x").out, "[x]\n");
}

TEST(WindowsProcess, BatchFilesRun) {
  Folder folder;
  for (const std::wstring name : {L"an engine.bat", L"engine.CMD"}) {
    const std::string path =
        folder.script(name, "@echo off\r\n" + puppet("args script %*") + "\r\nexit /b 5\r\n");
    const Life told = life('"' + path + "\" one", {"two three", "8/8/8 w - - 0 1"});
    EXPECT_EQ(told.out, "[script]\n[one]\n[two three]\n[8/8/8 w - - 0 1]\n") << told.err;
    EXPECT_EQ(told.exit_code, 5);
  }
}

TEST(WindowsProcess, WhatOnlyTheInterpreterKnowsRuns) {
  EXPECT_THAT(life("echo hello").out, HasSubstr("hello"));
  EXPECT_EQ(life("exit 4").exit_code, 4);
  EXPECT_EQ(life(puppet("args x") + " & " + puppet("args y")).out, "[x]\n[y]\n");
}

TEST(WindowsProcess, EndsAreToldAsAShellTellsThem) {
  EXPECT_EQ(life(puppet("exit 0")).exit_code, 0);
  EXPECT_EQ(life(puppet("exit 3")).exit_code, 3);
  const Life crashed = life(puppet("crash"));
  EXPECT_EQ(crashed.exit_code, 139);
  EXPECT_EQ(describe_end(crashed.exit_code), "was killed by signal 11 (Segmentation fault)");
  for (const char* name : {"no-such-engine", "C:\\no\\such\\engine.exe", "./no-such args"}) {
    const Life missing = life(name);
    EXPECT_EQ(missing.exit_code, 127) << name;
    EXPECT_EQ(missing.err, std::string("perft: ") + name + ": not found\n");
  }
  for (const auto& [code, expected] : {std::pair{0xC00000FDUL, 139},
                                       {0xC0000094UL, 136},
                                       {0xC000013AUL, 130},
                                       {0xC0000135UL, 127},
                                       {0xC0000409UL, 134},
                                       {0xC0FFEE00UL, 255},
                                       {300UL, 300}})
    EXPECT_EQ(windows::shell_code(code), expected) << code;
}

TEST(WindowsProcess, MuchIsSentAndComesBack) {
  const auto child = ChildProcess::start(puppet("echo"), {}, {});
  ASSERT_TRUE(child.ok()) << child.error().to_string();
  std::string line;
  for (int i = 0; i < 40; ++i) {
    const std::string text(50'000, static_cast<char>('a' + i % 26));
    ASSERT_TRUE((*child)->send(text.substr(0, 4'000) + "\r\n", Clock::now() + kPatience));
    ASSERT_EQ((*child)->next_line(line, Clock::now() + kPatience), ChildProcess::Read::kLine);
    EXPECT_EQ(line, text.substr(0, 4'000));
  }
  // Sends more text than pipes hold, closes the input, and only then reads. All text must arrive.
  std::string many;
  for (int i = 0; i < 30'000; ++i) many += std::to_string(i) + '\n';
  ASSERT_TRUE((*child)->send(many, Clock::now() + kPatience));
  (*child)->close_input();
  for (int i = 0; i < 30'000; ++i) {
    (*child)->allow_output();
    ASSERT_EQ((*child)->next_line(line, Clock::now() + kPatience), ChildProcess::Read::kLine);
    ASSERT_EQ(line, std::to_string(i));
  }
  EXPECT_EQ((*child)->next_line(line, Clock::now() + kPatience), ChildProcess::Read::kEnd);
  EXPECT_EQ((*child)->wait(Clock::now() + kPatience), 0);
}

TEST(WindowsProcess, AStopEndsTheWait) {
  std::stop_source stop;
  const auto child = ChildProcess::start(puppet("stay"), {}, stop.get_token());
  ASSERT_TRUE(child.ok()) << child.error().to_string();
  const std::jthread stopper([&] { stop.request_stop(); });
  std::string line;
  EXPECT_EQ((*child)->next_line(line, Clock::now() + kPatience), ChildProcess::Read::kStopped);
}

TEST(WindowsProcess, WhatItHasStartedEndsWithIt) {
  HANDLE grandchild = nullptr;
  {
    const auto child = ChildProcess::start(puppet("spawn"), {}, {});
    ASSERT_TRUE(child.ok()) << child.error().to_string();
    std::string line;
    ASSERT_EQ((*child)->next_line(line, Clock::now() + kPatience), ChildProcess::Read::kLine);
    grandchild = OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(std::stoul(line)));
    ASSERT_NE(grandchild, nullptr);
    EXPECT_EQ(WaitForSingleObject(grandchild, 0), static_cast<DWORD>(WAIT_TIMEOUT));
  }
  EXPECT_EQ(WaitForSingleObject(grandchild, 600'000), static_cast<DWORD>(WAIT_OBJECT_0));
  CloseHandle(grandchild);
}

}  // namespace
}  // namespace manyply
