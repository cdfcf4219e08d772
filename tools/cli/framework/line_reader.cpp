#include "tools/cli/framework/line_reader.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace manyply {
namespace {

Error read_error() {
  return {ErrorCode::kUnavailable, "", 0,
          std::error_code(errno, std::generic_category()).message()};
}

}  // namespace

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
    if (end == InputWait::End::kFailed) return read_error();
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

}  // namespace manyply
