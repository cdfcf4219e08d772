// Reads the tables of web pages as a browser would show them.
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/ascii.h"
#include "core/position_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

/// Returns the name of the tag at the start of `text`, such as "td" or "/td"; empty if there is no
/// tag.
std::string tag_name(std::string_view text) {
  if (!text.starts_with('<')) return {};
  const std::size_t begin = text.substr(1).starts_with('/') ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  return end > begin ? to_lower(text.substr(1, end - 1)) : std::string();
}

struct Entity {
  std::string_view name;
  char shown;
};
constexpr std::array<Entity, 10> kEntities{{{"&nbsp;", ' '},
                                            {"&#160;", ' '},
                                            {"&thinsp;", ' '},
                                            {"&amp;", '&'},
                                            {"&lt;", '<'},
                                            {"&gt;", '>'},
                                            {"&quot;", '"'},
                                            {"&#34;", '"'},
                                            {"&#39;", '\''},
                                            {"&apos;", '\''}}};

/// Reads a page in one pass.
class HtmlReader {
 public:
  explicit HtmlReader(std::string_view text) : text_(text) {}

  std::vector<ShownLine> read() {
    while (at_ < text_.size()) step();
    end_line();
    return std::move(lines_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    const std::string tag = tag_name(rest);
    if (rest.starts_with("<!--")) return skip(rest.find("-->"), 3);
    if (!tag.empty()) {
      take_tag(tag);
      return skip(rest.find('>'), 1);
    }
    if (rest.front() == '&') {
      for (const auto& [name, shown] : kEntities) {
        if (!rest.starts_with(name)) continue;
        show(shown);
        return skip(0, name.size());
      }
    }
    if (rest.front() == '\n' && !in_row_) end_line();
    show(rest.front() == '\n' || rest.front() == '\t' ? ' ' : rest.front());
    skip(0, 1);
  }

  void take_tag(const std::string& tag) {
    if (tag == "tr") {
      end_line();
      in_row_ = true;
      cells_ = 0;
    } else if (tag == "/tr" || tag == "/table") {
      in_row_ = is_row_ = in_row_ && cells_ > 0;
      end_line();
      in_row_ = false;
    } else if (tag == "td" || tag == "th") {
      if (cells_++ > 0) line_ += '\t';
    } else if (!in_row_ && (tag == "br" || tag == "p" || tag == "/p" || tag == "div" ||
                            tag == "li" || tag == "pre" || tag == "/pre")) {
      end_line();
    }
  }

  void show(char c) {
    if (line_.empty()) begin_ = number_;
    // The separators of other table forms are ordinary text in a cell.
    line_ += in_row_ && (c == '|' || c == ';') ? ' ' : c;
  }
  void end_line() {
    if (is_row_ || has_ranks(line_)) lines_.push_back({line_, begin_});
    line_.clear();
    is_row_ = false;
  }
  void skip(std::size_t to, std::size_t more) {
    const std::size_t end = to == std::string_view::npos ? text_.size() : at_ + to + more;
    for (; at_ < end; ++at_) number_ += text_[at_] == '\n' ? 1 : 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 1;
  int begin_ = 1;  ///< line number at which `line_` begins
  std::string line_;
  bool in_row_ = false;
  bool is_row_ = false;
  int cells_ = 0;
  std::vector<ShownLine> lines_;
};

}  // namespace

bool looks_like_html(std::string_view text) {
  if (!TextSpan{text}.trimmed().text.starts_with('<')) return false;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string tag = tag_name(text.substr(at, 4));
    if (tag == "td" || tag == "th") return true;
  }
  return false;
}

std::vector<ShownLine> read_html_lines(std::string_view text) { return HtmlReader(text).read(); }

}  // namespace manyply
