#include "tools/cli/framework/input_file.h"

#include <cerrno>
#include <system_error>

#include "core/base/files.h"
#include "tools/cli/framework/line_reader.h"

namespace manyply {

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

}  // namespace manyply
