// An output stream on a file descriptor that remembers why writing failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace manyply {

/// Collects what is written and passes it on when full and when flushed.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  /// errno of the first write that failed, 0 if none did.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> bytes_;
};

/// One thread. After a failed write the stream is bad, error() says why, and whatever is written
/// later is dropped. Flush it before it goes out of scope.
class FdStream : public std::ostream {
 public:
  explicit FdStream(int fd) : std::ostream(nullptr), buffer_(fd) { rdbuf(&buffer_); }
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  [[nodiscard]] int error() const { return buffer_.error(); }

 private:
  FdBuffer buffer_;
};

}  // namespace manyply
