#include "tools/cli/suite_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/files.h"
#include "core/base/text.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/io.h"
#include "tools/report/suite_format.h"

namespace manyply {
namespace {

constexpr std::array kWrittenForms{Choice<SuiteForm>{kSuiteFormNames[0], SuiteForm::kEpd},
                                   Choice<SuiteForm>{kSuiteFormNames[1], SuiteForm::kJson},
                                   Choice<SuiteForm>{kSuiteFormNames[2], SuiteForm::kCsv}};

/// Returns the lines of `whole` that have the tag. `suite` is the suite's name without the tag.
/// Error kInvalidInput: no line has the tag; the message lists all tags.
Result<Suite> with_tag(Suite whole, const std::string& suite, const std::string& tag) {
  std::vector<std::string> all;
  for (const SuiteLine& line : whole.lines) {
    for (const std::string& name : line.tags) {
      if (std::ranges::count(all, name) == 0) all.push_back(name);
    }
  }
  std::ranges::sort(all);
  if (std::ranges::count(all, tag) == 0) {
    std::string why = "no tag " + quote(tag) +
                      (all.empty() ? "; the suite has no tags" : "; the tags of the suite are ");
    for (const std::string& name : all) why += (&name == all.data() ? "" : ", ") + name;
    return Error{ErrorCode::kInvalidInput, suite, 0, why};
  }
  std::erase_if(whole.lines,
                [&](const SuiteLine& line) { return std::ranges::count(line.tags, tag) == 0; });
  return whole;
}

}  // namespace

constexpr Flag<SuiteLimits> kMaxNodes{
    "--max-nodes", "N", "skip counts above N", [](SuiteLimits& limits, const std::string& text) {
      return store(parse_nodes(text), limits.max_nodes, "--max-nodes");
    }};

constexpr Flag<Writing> kWrite{"--write", "FORM", "write the suite as epd, json or csv",
                               take_choice<&Writing::write, kWrittenForms>,
                               names_of<kWrittenForms>()};

Result<Suite> read_suite(const std::string& file, const Io& io) {
  const std::size_t colon = file.find(':');
  if (const std::optional<std::string_view> text = builtin_suite(file.substr(0, colon))) {
    Result<Suite> suite = read_suite_text(file, *text);
    if (!suite) return suite;
    Suite whole = std::move(suite).value();
    whole.read_as.clear();  // the format of built-in suites is known
    if (colon == std::string::npos) return whole;
    return with_tag(std::move(whole), file.substr(0, colon), file.substr(colon + 1));
  }
  const Result<std::string> text = read_input(file, io);
  if (text) return read_suite_text(name_of_input(file), *text);
  Error error = text.error();
  const std::vector<std::string> names(kSuiteNames.begin(), kSuiteNames.end());
  const auto meant = nearest(file, names);
  if (meant && file != "-" && files::kind(file) == files::Kind::kNothing)
    error.message += *meant == file ? "; this build does not include that suite"
                                    : "; did you mean '" + *meant + "'?";
  return error;
}

void tell_how_read(const Suite& suite, Io& io) {
  const std::string name = name_of_input(suite.name);
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
