#include "tools/cli/framework/io.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/files.h"
#include "core/base/text.h"

namespace manyply {
namespace {

/// Returns the length in bytes of the first character of `text`. Returns 0 if a terminal would not
/// show the character or might execute it. U+0080 to U+009F are control characters, too.
std::size_t shown_bytes(std::string_view text) {
  const Utf8Character c = first_character(text);
  const bool steers = c.code < ' ' || (c.code >= 0x7F && c.code < 0xA0);
  return steers ? 0 : c.bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::string_view kBlank = "\n\r\t";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = shown_bytes(text);
    const char c = text.front();
    if (length > 0) {
      shown += text.substr(0, length);
    } else if (kBlank.find(c) != std::string_view::npos) {
      shown += ' ';
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      shown += "\\x";
      shown += kHexDigits[byte >> 4];
      shown += kHexDigits[byte & 15];
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string painted(std::string_view text, Colour colour, bool on) {
  constexpr std::array<std::string_view, 3> kCodes{"\x1b[1m", "\x1b[31m", "\x1b[32m"};
  if (!on) return std::string(text);
  return std::string(kCodes.at(static_cast<std::size_t>(colour))) + std::string(text) + "\x1b[0m";
}

FdBuffer::int_type FdBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

int FdBuffer::sync() {
  if (error_ == 0 && !files::write(fd_, std::as_bytes(std::span(pbase(), pptr())))) error_ = errno;
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0 ? 0 : -1;
}

std::string name_of_input(const std::string& file) { return file == "-" ? "standard input" : file; }

Result<std::string> read_input(const std::string& file, const Io& io) {
  const std::string name = name_of_input(file);
  const int fd = file == "-" ? io.input : files::open_to_read(file);
  if (fd < 0)
    return Error{ErrorCode::kUnavailable, name, 0, std::generic_category().message(errno)};
  struct Closer {
    int fd;
    bool own;
    ~Closer() {
      if (own) files::close(fd);
    }
  } const closer{fd, file != "-"};
  Result<std::string> text = LineReader(fd, io.stop).rest();
  if (text) return text;
  return Error{text.error().code, name, 0, text.error().message};
}

LineReader::LineReader(int fd, std::stop_token stop) : fd_(fd), stop_(std::move(stop)) {}

std::string LineReader::take_line(std::size_t length, std::size_t end_length) {
  std::string line = buffer_.substr(0, length);
  buffer_.erase(0, length + end_length);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Result<bool> LineReader::fill() {
  const std::stop_callback wake(stop_, [this] { wait_.wake(); });
  while (true) {
    std::array<char, 4096> chunk;
    const auto [end, bytes] = wait_.read(fd_, chunk);
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
    if (end == InputWait::End::kFailed)
      return Error{ErrorCode::kUnavailable, "", 0, std::generic_category().message(errno)};
    if (end == InputWait::End::kWoken) continue;
    buffer_.append(chunk.data(), bytes);
    return bytes > 0;
  }
}

Result<std::optional<std::string>> LineReader::next() {
  while (true) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos)
      return std::optional(take_line(end, 1));
    const Result<bool> more = fill();
    if (!more) return more.error();
    if (*more) continue;
    if (buffer_.empty()) return std::optional<std::string>();
    return std::optional(take_line(buffer_.size(), 0));
  }
}

std::optional<std::string> LineReader::line_there(bool input) {
  if (input) {
    std::array<char, 4096> chunk;
    const auto [end, bytes] = wait_.read(fd_, chunk);
    if (end == InputWait::End::kRead) buffer_.append(chunk.data(), bytes);
  }
  const std::size_t end = buffer_.find('\n');
  return end == std::string::npos ? std::nullopt : std::optional(take_line(end, 1));
}

Result<std::string> LineReader::rest() {
  while (true) {
    const Result<bool> more = fill();
    if (!more) return more.error();
    if (!*more) return std::exchange(buffer_, {});
  }
}

#ifndef _WIN32  // windows_console.cpp has the functions of Windows

std::string for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::vector<std::string> console::arguments(int argc, char** argv) {
  return {argv + 1, argv + argc};
}

bool console::has_colours(int fd) {
  // This process never changes its environment.
  const char* const terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return is_terminal(fd) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

const char* console::keys_that_end_input() { return "Ctrl-D"; }

#endif

}  // namespace manyply
