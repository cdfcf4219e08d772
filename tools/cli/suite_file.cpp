#include "tools/cli/suite_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>

#include "tools/command/line_reader.h"
#include "tools/command/suggestion.h"

namespace manyply {

constexpr Flag<SuiteLimits> kMaxNodes{
    "--max-nodes", "N", "skip counts above N", [](SuiteLimits& limits, const std::string& text) {
      return store(parse_nodes(text), limits.max_nodes, "--max-nodes");
    }};

std::string name_of_suite(const std::string& file) { return file == "-" ? "standard input" : file; }

namespace {

/// Where lines come from: each call answers the next one, nothing at the end.
using NextLine = std::function<Result<std::optional<std::string>>()>;

Result<std::vector<SuiteLine>> parse_lines(const std::string& name, const NextLine& next) {
  const auto in_file = [&](Error error, int line) {
    const std::string place = line > 0 ? name + ":" + std::to_string(line) : name;
    error.field = error.field.empty() ? place : place + ": " + error.field;
    return error;
  };
  std::vector<SuiteLine> lines;
  for (int number = 1;; ++number) {
    const Result<std::optional<std::string>> line = next();
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

}  // namespace

Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io) {
  const std::string name = name_of_suite(file);
  if (std::optional<std::string_view> text = builtin_suite(file)) {
    return parse_lines(name, [&]() -> Result<std::optional<std::string>> {
      if (text->empty()) return std::optional<std::string>();
      const std::string line(text->substr(0, text->find('\n')));
      text->remove_prefix(std::min(line.size() + 1, text->size()));
      return std::optional(line);
    });
  }
  const int fd = file == "-" ? ::dup(io.input) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const std::error_code problem(errno, std::generic_category());
    std::string why = problem.message();
    const std::vector<std::string> names(kSuiteNames.begin(), kSuiteNames.end());
    if (const auto meant = nearest(file, names); meant && problem.value() == ENOENT)
      why += "; did you mean '" + *meant + "'?";
    return Error{ErrorCode::kUnavailable, name, 0, why};
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } const closer{fd};
  LineReader reader(fd, io.stop);
  return parse_lines(name, [&] { return reader.next(); });
}

}  // namespace manyply
