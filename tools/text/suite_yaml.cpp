// Reads YAML into values with their places. No other file uses the YAML library.
#include <algorithm>

#include "tools/text/suite_text.h"

#ifdef MANYPLY_YAML
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#endif

namespace manyply {

bool looks_like_yaml(std::string_view text) {
  while (!text.empty()) {
    const TextSpan line = TextSpan{cut_line(text)}.trimmed();
    if (line.text.empty() || line.text.starts_with('#')) continue;
    if (line.text == "---" || line.text.starts_with("- ") || line.text == "-") return true;
    const std::size_t colon = line.text.find(':');
    const std::string_view key = line.text.substr(0, colon);
    const bool is_key =
        colon != std::string_view::npos && !key.empty() && std::ranges::all_of(key, [](char c) {
          return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '"' || c == ' ';
        });
    return is_key && colon + 1 == line.text.size();
  }
  return false;
}

#ifdef MANYPLY_YAML

namespace {

struct YamlRefusal {
  YAML::Mark mark;
  std::string_view why;
  ErrorCode code = ErrorCode::kInvalidInput;
};

YamlRefusal too_many(const YAML::Mark& mark) {
  return {mark, kTooManySuiteValues, ErrorCode::kUnavailable};
}

class YamlEvents : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    scalar(mark, "", false);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw YamlRefusal{mark, "is an alias, which is not supported; write its value"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    scalar(mark, value, tag == "?");  // the tag "?" means that there are no quotes
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    begin(mark, false);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(mark, true);
  }
  void OnMapEnd() override { end(); }

  explicit YamlEvents(std::size_t most) : values(most) {}

  SuiteValueBuilder values;

 private:
  struct Open {
    bool is_map;
    bool key_is_next;
  };

  void begin(const YAML::Mark& mark, bool is_map) {
    if (!open_.empty() && open_.back().is_map && open_.back().key_is_next)
      throw YamlRefusal{mark, "is a key that is not a string"};
    if (!values.begin_list({0, mark.line + 1, mark.column + 1})) {
      if (values.left() == 0) throw too_many(mark);
      throw YamlRefusal{mark, "is nested too deeply"};
    }
    open_.push_back({is_map, true});
  }
  void end() {
    values.end_list();
    open_.pop_back();
    if (!open_.empty()) open_.back().key_is_next = true;
  }
  void scalar(const YAML::Mark& mark, const std::string& text, bool is_plain) {
    if (!open_.empty() && open_.back().is_map && open_.back().key_is_next) {
      values.name(text);
      open_.back().key_is_next = false;
      return;
    }
    if (!open_.empty()) open_.back().key_is_next = true;
    const SuitePlace place{0, mark.line + 1, mark.column + 1};
    if (!(is_plain ? values.number(text, place) : values.scalar(text, place))) throw too_many(mark);
  }

  std::vector<Open> open_;
};

/// Maximum length of a line in bytes. The library stores the text of a line until the line ends,
/// because the text may be a key. So longer lines are refused.
constexpr std::size_t kLongestYamlLine = 65'536;

Error yaml_error(const YAML::Mark& mark, std::string_view why,
                 ErrorCode code = ErrorCode::kInvalidInput) {
  return {code, std::to_string(std::max(mark.line, 0) + 1), std::max(mark.column, 0) + 1,
          std::string(why)};
}

}  // namespace

Result<SuiteValue> read_yaml_values(std::string_view text) try {
  int line = 1;
  for (std::string_view rest = text; !rest.empty(); ++line) {
    if (cut_line(rest).size() > kLongestYamlLine) {
      return Error{ErrorCode::kUnavailable, std::to_string(line), 1,
                   "is longer than " + std::to_string(kLongestYamlLine) +
                       " bytes, the limit for a line of YAML"};
    }
  }
  std::istringstream in{std::string(text)};
  YAML::Parser parser(in);
  YamlEvents events(most_suite_values(text.size()));
  while (parser.HandleNextDocument(events)) {
  }
  return std::move(events.values).take();
} catch (const YamlRefusal& refusal) {
  return yaml_error(refusal.mark, refusal.why, refusal.code);
} catch (const YAML::Exception& problem) {
  return yaml_error(problem.mark, "is not valid YAML: " + problem.msg);
}

#else

Result<SuiteValue> read_yaml_values(std::string_view /*text*/) {
  return Error{ErrorCode::kUnavailable, "1", 1,
               "looks like YAML, which this build cannot read because it lacks yaml-cpp"};
}

#endif

}  // namespace manyply
