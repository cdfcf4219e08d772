// An output stream on a file descriptor that remembers why writing failed.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace manyply {

/// A buffer that writes to the descriptor when it is full or flushed.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  /// Returns the errno of the first failed write; 0 if all succeeded.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> bytes_;
};

/// An output stream for one thread. After a failed write the stream is bad, error() returns the
/// reason, and further output is dropped. Flush it before it is destroyed.
class FdStream : public std::ostream {
 public:
  explicit FdStream(int fd) : std::ostream(nullptr), buffer_(fd) { rdbuf(&buffer_); }
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  /// Returns the errno of the first failed write; 0 if all succeeded.
  [[nodiscard]] int error() const { return buffer_.error(); }

 private:
  FdBuffer buffer_;
};

}  // namespace manyply
