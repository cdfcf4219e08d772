#include "tools/engine/windows_command.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cwctype>

#include "core/base/windows_text.h"

namespace manyply::windows {
namespace {

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
    // The interpreter has no escape character for quotes, but a program reads two quotes as one
    // quote.
    std::wstring word = wide(argument);
    for (std::size_t at = 0; (at = word.find(L'"', at)) != std::wstring::npos; at += 2)
      word.insert(at, 1, L'"');
    line += L" \"" + word + L'"';
  }
  return {located(interpreter).value_or(interpreter), line + L'"'};
}

}  // namespace

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
