#include "tools/cli/suite_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "tools/command/line_reader.h"

namespace manyply {

constexpr Flag<SuiteChoice> kMaxNodes{
    "--max-nodes", "N", "skip counts above N", [](SuiteChoice& choice, const std::string& text) {
      return store(NodeCount::parse(text), choice.max_nodes, "--max-nodes");
    }};

std::string name_of_suite(const std::string& file) { return file == "-" ? "standard input" : file; }

Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io) {
  const auto in_file = [&](Error error, int line) {
    const std::string name = name_of_suite(file);
    const std::string place = line > 0 ? name + ":" + std::to_string(line) : name;
    error.field = error.field.empty() ? place : place + ": " + error.field;
    return error;
  };
  const int fd = file == "-" ? ::dup(io.input) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const std::string why = std::error_code(errno, std::generic_category()).message();
    return in_file({ErrorCode::kUnavailable, "", 0, why}, 0);
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } const closer{fd};

  LineReader reader(fd, io.stop);
  std::vector<SuiteLine> lines;
  for (int number = 1;; ++number) {
    const Result<std::optional<std::string>> line = reader.next();
    if (!line) return in_file(line.error(), 0);
    if (!line->has_value()) break;
    std::string_view text = **line;
    constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";  // editors put it before the first line
    if (number == 1 && text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
    Result<std::optional<EpdRecord>> record = parse_epd_line(text);
    if (!record) return in_file(record.error(), number);
    if (record->has_value()) lines.push_back({number, **record});
  }
  if (lines.empty()) return in_file({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, 0);
  return lines;
}

}  // namespace manyply
