#include "tools/cli/framework/fd_stream.h"

#include <cerrno>
#include <span>

#include "core/base/files.h"

namespace manyply {

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

}  // namespace manyply
