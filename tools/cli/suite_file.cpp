#include "tools/cli/suite_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <system_error>

#include "core/quote.h"
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

/// The tags of a file, as its lines tell them.
class TagReader {
 public:
  /// Whether `line` says what a letter means: `#tag a castling: castling is legal`.
  bool defines(std::string_view line) {
    constexpr std::string_view kMark = "#tag ";
    const std::size_t colon = line.find(':');
    if (!line.starts_with(kMark) || colon == std::string_view::npos) return false;
    line = line.substr(kMark.size(), colon - kMark.size());
    if (line.size() < 3 || line[1] != ' ') return false;
    names_[line[0]] = line.substr(2);
    return true;
  }

  /// The tags in the comment of `line`; none if it is a comment of another kind.
  [[nodiscard]] std::vector<std::string> of(std::string_view line) const {
    line.remove_prefix(std::min(line.find('#'), line.size() - 1) + 1);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    std::vector<std::string> tags;
    for (const char letter : line) {
      const auto found = names_.find(letter);
      if (found == names_.end()) return {};
      tags.push_back(found->second);
    }
    return tags;
  }

 private:
  std::map<char, std::string> names_;
};

/// Those of `lines` that have the tag.
Result<std::vector<SuiteLine>> with_tag(std::vector<SuiteLine> lines, const std::string& suite,
                                        const std::string& tag) {
  std::vector<std::string> all;
  for (const SuiteLine& line : lines) {
    for (const std::string& name : line.tags) {
      if (std::ranges::count(all, name) == 0) all.push_back(name);
    }
  }
  std::ranges::sort(all);
  if (std::ranges::count(all, tag) == 0) {
    std::string why = "no tag " + quote(tag) + (all.empty() ? "; it has none" : "; there are ");
    for (const std::string& name : all) why += (&name == all.data() ? "" : ", ") + name;
    return Error{ErrorCode::kInvalidInput, suite, 0, why};
  }
  std::erase_if(lines,
                [&](const SuiteLine& line) { return std::ranges::count(line.tags, tag) == 0; });
  return lines;
}

Result<std::vector<SuiteLine>> parse_lines(const std::string& name, const NextLine& next) {
  const auto in_file = [&](Error error, int line) {
    const std::string place = line > 0 ? name + ":" + std::to_string(line) : name;
    error.field = error.field.empty() ? place : place + ": " + error.field;
    return error;
  };
  std::vector<SuiteLine> lines;
  TagReader tags;
  for (int number = 1;; ++number) {
    const Result<std::optional<std::string>> line = next();
    if (!line) return in_file(line.error(), 0);
    if (!line->has_value()) break;
    std::string_view text = **line;
    constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";  // editors put it before the first line
    if (number == 1 && text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
    if (tags.defines(text)) continue;
    Result<std::optional<EpdRecord>> record = parse_epd_line(text);
    if (!record) return in_file(record.error(), number);
    if (record->has_value()) lines.push_back({number, **record, tags.of(text)});
  }
  if (lines.empty()) return in_file({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, 0);
  return lines;
}

}  // namespace

Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io) {
  const std::string name = name_of_suite(file);
  const std::size_t colon = file.find(':');
  if (std::optional<std::string_view> text = builtin_suite(file.substr(0, colon))) {
    auto lines = parse_lines(name, [&]() -> Result<std::optional<std::string>> {
      if (text->empty()) return std::optional<std::string>();
      const std::string line(text->substr(0, text->find('\n')));
      text->remove_prefix(std::min(line.size() + 1, text->size()));
      return std::optional(line);
    });
    if (!lines || colon == std::string::npos) return lines;
    return with_tag(std::move(lines).value(), file.substr(0, colon), file.substr(colon + 1));
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
