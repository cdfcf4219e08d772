// READMEs must be short, their links must work, and files that they name must exist.
#include <fnmatch.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace manyply {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns all paths from the root, except outputs of builds.
std::set<std::string> paths_of_sources() {
  const fs::path root = MANYPLY_SOURCE_DIR;
  std::set<std::string> paths{"README.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE"};
  for (const char* const folder : {"bench", "core", "hash", "parallel", "tests", "tools"}) {
    for (auto at = fs::recursive_directory_iterator(root / folder);
         at != fs::recursive_directory_iterator(); ++at) {
      if (at->path().filename() == "node_modules") at.disable_recursion_pending();
      if (at->is_regular_file()) paths.insert(at->path().lexically_relative(root).string());
    }
  }
  return paths;
}

/// READMEs that npm and PyPI show. Their readers see no other file.
const std::set<std::string> kPackagePages{"tools/python/README.md", "tools/wasm/npm/README.md"};

/// Returns whether `path` is a README. Results of measurements do not count, so they may be long.
bool is_readme(const std::string& path) {
  return fs::path(path).filename() == "README.md" && !path.starts_with("bench/results/") &&
         !kPackagePages.contains(path);
}
/// Returns whether `path` is a README or another text that names files.
bool is_guide(const std::string& path) {
  return is_readme(path) || (fs::path(path).extension() == ".md" && path.starts_with("tools/"));
}

/// Returns texts by path.
std::map<std::string, std::string> texts_of(const std::set<std::string>& paths,
                                            bool (*wanted)(const std::string& path)) {
  std::map<std::string, std::string> texts;
  for (const std::string& path : paths) {
    if (!wanted(path)) continue;
    std::ifstream in(fs::path(MANYPLY_SOURCE_DIR) / path);
    texts[path].assign(std::istreambuf_iterator<char>(in), {});
  }
  return texts;
}

/// Counts words as `wc -w` does.
std::ptrdiff_t words_in(const std::string& text) {
  std::istringstream words(text);
  return std::distance(std::istream_iterator<std::string>(words), {});
}

std::string without_code_blocks(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      code = !code;
    } else if (!code) {
      rest += line + '\n';
    }
  }
  return rest;
}

std::vector<std::string> found(const std::regex& pattern, const std::string& text) {
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    all.push_back((*at)[1]);
  return all;
}

/// Returns the relative links in `text`, a file in `folder`, that do not lead to a file.
std::vector<std::string> dead_links(const fs::path& folder, const std::string& text) {
  static const std::regex kLink(R"(\]\(([^)#\s]+)[^)]*\))");
  std::vector<std::string> dead = found(kLink, without_code_blocks(text));
  std::erase_if(dead, [&](const std::string& link) {
    return link.find("://") != std::string::npos ||
           fs::is_regular_file(fs::path(MANYPLY_SOURCE_DIR) / folder / link);
  });
  return dead;
}

/// Returns the files that `text` names (`fen.h`, `support/oracle.h`, `sets_*.inc`) but that do not
/// exist.
std::vector<std::string> missing_files(const std::string& text,
                                       const std::set<std::string>& paths) {
  static const std::regex kFile(
      "`(?:\\.\\./)*([A-Za-z0-9_*][A-Za-z0-9_*./-]*\\."
      "(?:h|cpp|inc|js|mjs|sql|sh|cmake|md|json|yml|sbatch|service))`");
  std::vector<std::string> missing = found(kFile, without_code_blocks(text));
  std::erase_if(missing, [&](const std::string& name) {
    const std::string ending = "*/" + name;
    return std::ranges::any_of(paths, [&](const std::string& path) {
      return fnmatch(ending.c_str(), ('/' + path).c_str(), 0) == 0;
    });
  });
  return missing;
}

TEST(Readmes, AreShort) {
  constexpr std::ptrdiff_t kMostLines = 150;  // for the main README
  constexpr std::ptrdiff_t kMostWords = 12'000;
  const auto texts = texts_of(paths_of_sources(), is_readme);
  EXPECT_GT(texts.size(), 15u);
  EXPECT_LE(std::ranges::count(texts.at("README.md"), '\n'), kMostLines);
  std::ptrdiff_t words = 0;
  for (const auto& [path, text] : texts) words += words_in(text);
  EXPECT_LE(words, kMostWords);

  constexpr std::ptrdiff_t kMostWordsOfPage = 600;
  for (const std::string& path : kPackagePages) {
    std::ifstream page(fs::path(MANYPLY_SOURCE_DIR) / path);
    const std::string text(std::istreambuf_iterator<char>(page), {});
    EXPECT_GT(words_in(text), 100) << path;
    EXPECT_LE(words_in(text), kMostWordsOfPage) << path;
  }
}

TEST(Readmes, LeadAndPointToFilesThatAreThere) {
  const std::set<std::string> paths = paths_of_sources();
  for (const auto& [path, text] : texts_of(paths, is_guide)) {
    EXPECT_THAT(dead_links(fs::path(path).parent_path(), text), IsEmpty()) << path;
    EXPECT_THAT(missing_files(text, paths), IsEmpty()) << path;
  }
}

TEST(Readmes, WhatIsMissingWouldBeSeen) {
  const std::string text =
      "[a](README.md) [b](../fen.h) [c\nd](gone.md#there) [e](https://x.y/z) [f](#here)\n"
      "`fen.h` `gone.h` `sets_*.inc` `went_*.inc` `core/fen.h` `hash/fen.h`\n```\n[g](lost.md) "
      "`lost.h`\n```\n";
  EXPECT_THAT(dead_links("core", text), ElementsAre("../fen.h", "gone.md"));
  EXPECT_THAT(missing_files(text, {"core/fen.h", "core/sets_king.inc"}),
              ElementsAre("gone.h", "went_*.inc", "hash/fen.h"));
  EXPECT_EQ(words_in(" a table | of\n| words |\n"), 7);
}

}  // namespace
}  // namespace manyply
