#include "tools/cli/suite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/quote.h"
#include "parallel/files.h"
#include "tools/command/line_reader.h"
#include "tools/command/printable.h"
#include "tools/command/suggestion.h"
#include "tools/question/suite_format.h"

namespace manyply {

constexpr Flag<SuiteLimits> kMaxNodes{
    "--max-nodes", "N", "skip counts above N", [](SuiteLimits& limits, const std::string& text) {
      return store(parse_nodes(text), limits.max_nodes, "--max-nodes");
    }};

std::string name_of_suite(const std::string& file) { return file == "-" ? "standard input" : file; }

namespace {

/// `whole`, with those lines alone that have the tag; `suite` is its name without that.
Result<Suite> with_tag(Suite whole, const std::string& suite, const std::string& tag) {
  std::vector<std::string> all;
  for (const SuiteLine& line : whole.lines) {
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
  std::erase_if(whole.lines,
                [&](const SuiteLine& line) { return std::ranges::count(line.tags, tag) == 0; });
  return whole;
}

}  // namespace

Result<Suite> read_suite(const std::string& file, const Io& io) {
  const std::string name = name_of_suite(file);
  const std::size_t colon = file.find(':');
  if (const std::optional<std::string_view> text = builtin_suite(file.substr(0, colon))) {
    Result<Suite> suite = read_suite_text(name, *text);
    if (!suite || colon == std::string::npos) return suite;
    return with_tag(std::move(suite).value(), file.substr(0, colon), file.substr(colon + 1));
  }
  const Result<std::vector<std::string>> lines = read_lines(file, io);
  if (!lines) return lines.error();
  SuiteReader reader(name);
  for (const std::string& line : *lines) reader.take(line);
  return std::move(reader).finish();
}

Result<std::vector<std::string>> read_lines(const std::string& file, const Io& io) {
  const std::string name = name_of_suite(file);
  const int fd = file == "-" ? io.input : files::open_to_read(file);
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
    bool own;
    ~Closer() {
      if (own) files::close(fd);
    }
  } const closer{fd, file != "-"};
  LineReader lines(fd, io.stop);
  std::vector<std::string> all;
  for (;;) {
    Result<std::optional<std::string>> line = lines.next();
    if (!line) return in_suite(line.error(), name, 0);
    if (!line->has_value()) return all;
    all.push_back(*std::move(line).value());
  }
}

void tell_how_read(const Suite& suite, Io& io) {
  const std::string name = name_of_suite(suite.name);
  const auto tell = [&](const std::string& text) {
    io.err << "perft: " << printable(text) << '\n';
  };
  const auto tell_of_it = [&](const std::string& text) { tell(fmt::format("{}: {}", name, text)); };
  for (const std::string& how : suite.read_as) tell_of_it(how);
  for (const auto& [number, error] : suite.refused.told)
    tell(in_suite(error, name, number).to_string());
  if (suite.refused.untold() > 0) tell_of_it("and " + refused_text(suite.refused.untold()));
  io.err << std::flush;
}

}  // namespace manyply
