#include "tools/command/fd_stream.h"

#include <unistd.h>

#include <cerrno>

namespace manyply {

FdBuffer::int_type FdBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

int FdBuffer::sync() {
  for (const char* at = pbase(); at != pptr() && error_ == 0;) {
    const ssize_t written = ::write(fd_, at, static_cast<unsigned>(pptr() - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0 ? 0 : -1;
}

}  // namespace manyply
