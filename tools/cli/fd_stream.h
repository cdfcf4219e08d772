// An output stream on a file descriptor that remembers why writing failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace manyply {

/// Buffers; writes when full and when flushed. One thread. After a failed write the stream is bad
/// and error() says why; what is written later is dropped.
class FdStream : private std::streambuf, public std::ostream {
 public:
  explicit FdStream(int fd) : std::ostream(static_cast<std::streambuf*>(this)), fd_(fd) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  ~FdStream() override { sync(); }
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  /// errno of the first write that failed, 0 if none did.
  [[nodiscard]] int error() const { return error_; }

 private:
  int_type overflow(int_type c) override;
  int sync() override;

  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

}  // namespace manyply
