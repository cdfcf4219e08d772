#include <windows.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cwctype>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/windows_text.h"
#include "tools/engine/child_process.h"

namespace manyply::windows {
namespace {

// Interprets a shell command, because Windows has no standard shell.

/// The arguments of CreateProcess.
struct ProgramCall {
  std::wstring program;  ///< path of the file
  std::wstring line;     ///< the command line
};

std::wstring environment(const wchar_t* name) {
  std::wstring value(GetEnvironmentVariableW(name, nullptr, 0), L'\0');
  value.resize(GetEnvironmentVariableW(name, value.data(), static_cast<DWORD>(value.size())));
  return value;
}

std::wstring lower(std::wstring text) {
  for (wchar_t& unit : text) unit = static_cast<wchar_t>(std::towlower(unit));
  return text;
}

bool is_file(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

std::wstring full_path(const std::wstring& path) {
  std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  full.resize(
      GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  return full;
}

/// Returns the path of the file `name`; nullopt if it does not exist. `name` includes the
/// extension.
std::optional<std::wstring> located(const std::wstring& name) {
  if (name.find_first_of(L"\\/:") != std::wstring::npos)
    return is_file(name) ? std::optional(full_path(name)) : std::nullopt;
  std::wstring path(SearchPathW(nullptr, name.c_str(), nullptr, 0, nullptr, nullptr), L'\0');
  if (path.empty()) return std::nullopt;
  path.resize(SearchPathW(nullptr, name.c_str(), nullptr, static_cast<DWORD>(path.size()),
                          path.data(), nullptr));
  return is_file(path) ? std::optional(path) : std::nullopt;
}

/// Returns the path of the program `name`; nullopt if it does not exist. `name` may lack its
/// extension.
std::optional<std::wstring> program_named(const std::wstring& name) {
  if (name.empty()) return std::nullopt;
  std::wstring endings = environment(L"PATHEXT");
  if (endings.empty()) endings = L".COM;.EXE;.BAT;.CMD";
  for (std::size_t at = 0; at < endings.size();) {
    const std::size_t end = std::min(endings.find(L';', at), endings.size());
    if (auto path = located(name + endings.substr(at, end - at))) return path;
    at = end + 1;
  }
  return located(name);
}

bool ends_with_any(const std::wstring& path, std::initializer_list<std::wstring_view> endings) {
  const std::wstring name = lower(path);
  return std::ranges::any_of(endings, [&](std::wstring_view end) { return name.ends_with(end); });
}

/// The first word of a command, without quotes, and the rest of the command.
struct Split {
  std::wstring word;
  std::wstring_view rest;
};

Split split(std::wstring_view command) {
  Split split;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < command.size() && (quoted || (command[at] != L' ' && command[at] != L'\t')); ++at) {
    if (command[at] == L'"') {
      quoted = !quoted;
    } else {
      split.word += command[at];
    }
  }
  split.rest = command.substr(at);
  return split;
}

/// Returns whether a command has pipes, redirections, several commands, variables ("%TEMP%") or
/// escapes ("^&").
bool needs_interpreter(std::wstring_view command) {
  bool quoted = false;
  for (const wchar_t unit : command) {
    if (unit == L'"') quoted = !quoted;
    if (!quoted && std::wstring_view(L"|<>&^%").find(unit) != std::wstring_view::npos) return true;
  }
  return false;
}

bool is_of_interpreter(const std::wstring& word) {
  constexpr std::array<std::wstring_view, 19> kNames{
      L"call", L"cd",   L"chdir", L"copy", L"dir", L"echo",  L"exit", L"for",   L"if", L"md",
      L"popd", L"path", L"pushd", L"rem",  L"set", L"start", L"type", L"echo.", L"ver"};
  return std::ranges::find(kNames, std::wstring_view(lower(word))) != kNames.end();
}

ProgramCall by_interpreter(std::wstring_view command, const std::vector<std::string>& arguments) {
  std::wstring interpreter = environment(L"ComSpec");
  if (interpreter.empty()) interpreter = L"cmd.exe";
  std::wstring line = quoted(interpreter) + L" /d /s /c \"" + std::wstring(command);
  for (const std::string& argument : arguments) {
    // Double each quote: the interpreter cannot escape a quote, but a program reads two quotes as
    // one.
    std::wstring word = wide(argument);
    for (std::size_t at = 0; (at = word.find(L'"', at)) != std::wstring::npos; at += 2)
      word.insert(at, 1, L'"');
    line += L" \"" + word + L'"';
  }
  return {located(interpreter).value_or(interpreter), line + L'"'};
}

/// Returns how to run `command` followed by `arguments`; nullopt if the program does not exist. A
/// command has one of three forms: a program (with or without .exe, quotes and slashes); a .bat or
/// .cmd file; or a text for the command interpreter. Such a text has pipes, redirections, variables
/// or several commands, or is a command of the interpreter itself, such as `echo`.
std::optional<ProgramCall> call_of(const std::string& command,
                                   const std::vector<std::string>& arguments) {
  std::wstring text = wide(command);
  text.erase(0, std::min(text.find_first_not_of(L" \t"), text.size()));
  // A shell may have removed the quotes around a path with spaces. So try the whole text as a path.
  std::optional<std::wstring> program =
      text.find(L'"') == std::wstring::npos ? program_named(text) : std::nullopt;
  std::wstring_view rest;
  if (!program) {
    if (needs_interpreter(text)) return by_interpreter(text, arguments);
    const Split parts = split(text);
    program = program_named(parts.word);
    rest = parts.rest;
    if (!program) {
      if (!is_of_interpreter(parts.word)) return std::nullopt;
      return by_interpreter(text, arguments);
    }
  }
  std::wstring line = L'"' + *program + L'"' + std::wstring(rest);
  if (!ends_with_any(*program, {L".exe", L".com"})) return by_interpreter(line, arguments);
  for (const std::string& argument : arguments) line += L' ' + quoted(wide(argument));
  return ProgramCall{*program, line};
}

}  // namespace

int shell_code(unsigned long code) {
  constexpr int kSignal = 128;
  switch (code) {
    case STATUS_CONTROL_C_EXIT:
      return kSignal + 2;
    case STATUS_ILLEGAL_INSTRUCTION:
    case STATUS_PRIVILEGED_INSTRUCTION:
      return kSignal + 4;
    case STATUS_BREAKPOINT:
      return kSignal + 5;
    case 0xC0000409:  // STATUS_STACK_BUFFER_OVERRUN: the program has detected its own fault
    case 0xC0000374:  // STATUS_HEAP_CORRUPTION
    case STATUS_ASSERTION_FAILURE:
      return kSignal + 6;
    case STATUS_INTEGER_DIVIDE_BY_ZERO:
    case STATUS_INTEGER_OVERFLOW:
    case STATUS_FLOAT_DIVIDE_BY_ZERO:
      return kSignal + 8;
    case STATUS_ACCESS_VIOLATION:
    case STATUS_STACK_OVERFLOW:
    case STATUS_IN_PAGE_ERROR:
    case STATUS_ARRAY_BOUNDS_EXCEEDED:
      return kSignal + 11;
    case 0xC0000135:  // STATUS_DLL_NOT_FOUND: a library is missing
    case 0xC0000139:  // STATUS_ENTRYPOINT_NOT_FOUND: a library lacks a function
    case 0xC000007B:  // STATUS_INVALID_IMAGE_FORMAT: a library is for another processor
    case 0xC0000142:  // STATUS_DLL_INIT_FAILED
      return 127;
    default:
      return code <= 0xFFFF ? static_cast<int>(code) : 255;
  }
}

}  // namespace manyply::windows

namespace manyply {
namespace {

/// Owns a handle and closes it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  ~Handle() { close(); }
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  void close() {
    if (handle_ != nullptr) CloseHandle(handle_);
    handle_ = nullptr;
  }
  [[nodiscard]] HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  HANDLE handle_ = nullptr;
};

Error cannot_start(DWORD error) {
  return {ErrorCode::kUnavailable, "engine", 0,
          "cannot start a process: " +
              std::error_code(windows::errno_of(error), std::generic_category()).message() +
              " (Windows error " + std::to_string(error) + ")"};
}

constexpr DWORD kPipeBytes = 65'536;

struct Pipe {
  Handle ours;
  Handle theirs;
  explicit operator bool() const { return ours && theirs; }
};

enum class Direction { kToThem, kFromThem };

/// Creates a pipe. It is a named pipe, because Windows supports overlapped I/O only on named pipes.
Pipe make_pipe(Direction direction) {
  static std::atomic<int> number{0};  // shared by all threads
  const std::wstring name = L"\\\\.\\pipe\\manyply-" + std::to_wstring(GetCurrentProcessId()) +
                            L'-' + std::to_wstring(number++);
  const bool to_them = direction == Direction::kToThem;
  Pipe pipe;
  pipe.ours = Handle(CreateNamedPipeW(name.c_str(),
                                      (to_them ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND) |
                                          FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                      PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, kPipeBytes,
                                      kPipeBytes, 0, nullptr));
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  if (pipe.ours)
    pipe.theirs = Handle(CreateFileW(name.c_str(),
                                     to_them ? GENERIC_READ : GENERIC_WRITE | FILE_READ_ATTRIBUTES,
                                     0, &inherited, OPEN_EXISTING, 0, nullptr));
  return pipe;
}

/// An overlapped read or write, and the event that signals its end.
class Transfer {
 public:
  Transfer() : event_(CreateEventW(nullptr, TRUE, FALSE, nullptr)) {
    overlapped_.hEvent = event_.get();
  }
  ~Transfer() { cancel(); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void begin_read(HANDLE pipe) {
    bytes_.resize(kPipeBytes);
    begin(pipe, ReadFile(pipe, bytes_.data(), kPipeBytes, nullptr, &overlapped_));
  }
  std::size_t begin_write(HANDLE pipe, std::string_view text) {
    bytes_.assign(text.substr(0, kPipeBytes));
    begin(pipe,
          WriteFile(pipe, bytes_.data(), static_cast<DWORD>(bytes_.size()), nullptr, &overlapped_));
    return bytes_.size();
  }
  [[nodiscard]] bool is_pending() const { return pipe_ != nullptr; }
  [[nodiscard]] bool has_failed() const { return failed_; }
  [[nodiscard]] HANDLE event() const { return event_.get(); }

  /// Returns true at the first call after the transfer has ended. All other calls return false.
  bool settle() {
    DWORD count = 0;
    if (!is_pending()) return false;
    if (GetOverlappedResult(pipe_, &overlapped_, &count, FALSE) == 0) {
      if (GetLastError() == ERROR_IO_INCOMPLETE) return false;
      failed_ = true;
      count = 0;
    }
    bytes_.resize(count);
    pipe_ = nullptr;
    return true;
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  void cancel() {
    if (!is_pending()) return;
    DWORD count = 0;
    CancelIoEx(pipe_, &overlapped_);
    GetOverlappedResult(pipe_, &overlapped_, &count, TRUE);
    pipe_ = nullptr;
  }

 private:
  void begin(HANDLE pipe, BOOL done) {
    failed_ = done == 0 && GetLastError() != ERROR_IO_PENDING;
    pipe_ = failed_ ? nullptr : pipe;
  }

  Handle event_;
  OVERLAPPED overlapped_{};
  std::string bytes_;
  HANDLE pipe_ = nullptr;  // null if nothing is pending
  bool failed_ = false;
};

/// One output stream of the program.
class Output {
 public:
  explicit Output(Handle pipe) : pipe_(std::move(pipe)) {}
  ~Output() { transfer_.cancel(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] bool is_open() const { return static_cast<bool>(pipe_); }
  [[nodiscard]] HANDLE event() const { return transfer_.event(); }
  /// Starts a read if none is pending. Precondition: is_open().
  void begin() {
    if (!transfer_.is_pending()) transfer_.begin_read(pipe_.get());
    if (transfer_.has_failed()) pipe_.close();
  }
  /// Appends the text of a finished read. Returns false if no read has finished.
  bool take(std::string& text) {
    if (!transfer_.settle()) return false;
    text += transfer_.bytes();
    if (transfer_.has_failed()) pipe_.close();
    return true;
  }

 private:
  Handle pipe_;
  Transfer transfer_;
};

/// Creates a job object. Windows ends the processes of the job when the last handle of the job is
/// closed. This happens at the latest when our process ends.
Handle make_job() {
  Handle job(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (job)
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

/// Starts the program in `job`. The program inherits only the three handles of `streams`. Returns 0
/// or a Windows error.
DWORD spawn(windows::ProgramCall call, const std::array<HANDLE, 3>& streams, HANDLE job,
            Handle& process) {
  SIZE_T size = 0;
  InitializeProcThreadAttributeList(nullptr, 2, 0, &size);
  std::string memory(size, '\0');
  STARTUPINFOEXW start{};
  start.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.data());
  if (InitializeProcThreadAttributeList(start.lpAttributeList, 2, 0, &size) == 0)
    return GetLastError();
  std::array<HANDLE, 3> inherited = streams;
  UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                            inherited.data(), sizeof inherited, nullptr, nullptr);
  UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_JOB_LIST, &job,
                            sizeof job, nullptr, nullptr);
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = streams[0];
  start.StartupInfo.hStdOutput = streams[1];
  start.StartupInfo.hStdError = streams[2];

  // The error mode prevents a dialog window if the engine crashes. The engine gets its own process
  // group. So Ctrl-C reaches only our process, which then kills the engine.
  SetErrorMode(GetErrorMode() | SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_NEW_PROCESS_GROUP;
  if (GetConsoleCP() == 0) flags |= CREATE_NO_WINDOW;
  PROCESS_INFORMATION started{};
  const bool done = CreateProcessW(call.program.c_str(), call.line.data(), nullptr, nullptr, TRUE,
                                   flags, nullptr, nullptr, &start.StartupInfo, &started) != 0;
  const DWORD error = done ? 0 : GetLastError();
  DeleteProcThreadAttributeList(start.lpAttributeList);
  if (!done) return error;
  CloseHandle(started.hThread);
  process = Handle(started.hProcess);
  return 0;
}

}  // namespace

struct SystemProcess::State {
  State(Handle in_pipe, Handle out_pipe, Handle err_pipe)
      : in(std::move(in_pipe)), out(std::move(out_pipe)), err(std::move(err_pipe)) {}
  ~State() { writing.cancel(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Handle job = make_job();
  Handle process{};  // empty if the program does not exist
  Handle in;
  Output out;
  Output err;
  Transfer writing{};
  bool closes_input = false;  // close the input once everything is written
  Handle woken{CreateEventW(nullptr, TRUE, FALSE, nullptr)};
  std::string missing{};  // message on standard error if the program does not exist

  void close_input_when_written() {
    if (closes_input && !writing.is_pending()) in.close();
  }
};

Result<std::unique_ptr<SystemProcess>> SystemProcess::start(
    const std::string& command, const std::vector<std::string>& arguments) {
  Pipe in = make_pipe(Direction::kToThem);
  Pipe out = make_pipe(Direction::kFromThem);
  Pipe err = make_pipe(Direction::kFromThem);
  if (!in || !out || !err) return cannot_start(GetLastError());
  auto state =
      std::make_unique<State>(std::move(in.ours), std::move(out.ours), std::move(err.ours));
  if (std::optional<windows::ProgramCall> call = windows::call_of(command, arguments)) {
    const std::array<HANDLE, 3> theirs{in.theirs.get(), out.theirs.get(), err.theirs.get()};
    DWORD error = spawn(*call, theirs, state->job.get(), state->process);
    if (error == ERROR_INTERNAL_ERROR)  // Wine returns this for about one program in a thousand; a
                                        // second try succeeds
      error = spawn(*call, theirs, state->job.get(), state->process);
    if (error != 0) return cannot_start(error);
  } else {
    state->missing = "perft: " + command + ": not found\n";
  }
  return std::unique_ptr<SystemProcess>(new SystemProcess(std::move(state)));
}

SystemProcess::SystemProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SystemProcess::~SystemProcess() { kill(); }

bool SystemProcess::wait(std::chrono::milliseconds most, bool for_room, std::string& out,
                         std::string& err) {
  err += std::exchange(state_->missing, {});
  std::array<HANDLE, 4> events{state_->woken.get()};
  DWORD count = 1;
  bool happened = for_room && !state_->writing.is_pending();
  for (Output* output : {&state_->out, &state_->err}) {
    if (!output->is_open()) continue;
    output->begin();
    if (output->is_open()) {
      events[count++] = output->event();
    } else {
      happened = true;  // the stream has ended
    }
  }
  if (state_->writing.is_pending()) events[count++] = state_->writing.event();
  const auto patience = static_cast<DWORD>(happened ? 0 : most.count());
  if (WaitForMultipleObjects(count, events.data(), FALSE, patience) == WAIT_OBJECT_0)
    happened = true;
  if (state_->out.take(out)) happened = true;
  if (state_->err.take(err)) happened = true;
  if (state_->writing.settle()) happened = true;
  state_->close_input_when_written();
  return happened;
}

void SystemProcess::wake() { SetEvent(state_->woken.get()); }
bool SystemProcess::has_output() const { return state_->out.is_open(); }
bool SystemProcess::has_input() const {
  return static_cast<bool>(state_->in) && !state_->closes_input;
}

std::optional<std::size_t> SystemProcess::write(std::string_view text) {
  state_->writing.settle();
  if (state_->writing.has_failed()) return std::nullopt;
  if (state_->writing.is_pending()) return 0;
  const std::size_t count = state_->writing.begin_write(state_->in.get(), text);
  if (state_->writing.has_failed()) return std::nullopt;
  return count;
}

void SystemProcess::close_input() {
  state_->closes_input = true;
  state_->writing.settle();
  state_->close_input_when_written();
}

std::optional<int> SystemProcess::ended() {
  constexpr int kNotFound = 127;
  if (!state_->process) return kNotFound;
  DWORD code = 0;
  if (WaitForSingleObject(state_->process.get(), 0) != WAIT_OBJECT_0 ||
      GetExitCodeProcess(state_->process.get(), &code) == 0)
    return std::nullopt;
  return windows::shell_code(code);
}

void SystemProcess::kill() {
  constexpr UINT kKilled = 137;
  if (!state_->job) return;
  TerminateJobObject(state_->job.get(), kKilled);
  if (state_->process) WaitForSingleObject(state_->process.get(), INFINITE);
  state_->job.close();
}

void SystemProcess::rest(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace manyply
