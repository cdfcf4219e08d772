// Extracts code and examples from READMEs.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace manyply {

struct Example {
  std::string command;
  std::string output;
};

/// Returns the lines of code in a section; with "", those before the first section.
inline std::string code_of(const std::string& file, const std::string& section) {
  std::ifstream in(MANYPLY_SOURCE_DIR "/" + file);
  std::string lines;
  bool here = section.empty();
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## " + section;
    if (!here) continue;
    if (line.starts_with("```")) {
      code = !code;
    } else if (code) {
      lines += line + '\n';
    }
  }
  return lines;
}

/// Returns the commands after "$ " in a section, and the output that is shown below each.
inline std::vector<Example> examples_of(const std::string& file, const std::string& section) {
  std::istringstream code(code_of(file, section));
  std::vector<Example> examples;
  for (std::string line; std::getline(code, line);) {
    if (line.starts_with("$ ")) {
      examples.push_back({line.substr(2), ""});
    } else if (!examples.empty()) {
      examples.back().output += line + '\n';
    }
  }
  return examples;
}

/// Returns whether `text` equals `shown`, in which "…" matches any text.
inline bool reads_as(const std::string& text, const std::string& shown) {
  const std::string gap = "…";
  std::size_t at = 0;
  for (std::size_t start = 0;;) {
    const std::size_t end = shown.find(gap, start);
    const std::string part = shown.substr(start, end - start);
    if (end == std::string::npos) return text.size() - at >= part.size() && text.ends_with(part);
    const std::size_t found =
        start == 0 ? (text.starts_with(part) ? 0 : std::string::npos) : text.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    start = end + gap.size();
  }
}

}  // namespace manyply
