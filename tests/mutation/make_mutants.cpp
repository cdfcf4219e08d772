// make_mutants SOURCES OUT FILE...: writes a copy of each FILE (a path in SOURCES) to OUT, with all
// errors of mutants.h built in. Fails if the text of an error does not occur exactly once.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/mutation/mutants.h"

namespace fs = std::filesystem;
using namespace manyply;

namespace {

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string mutated(const Mutant& mutant, int number) {
  const std::string original(mutant.original);
  const std::string replacement(mutant.replacement);
  const std::string active = "::manyply::active_mutant == " + std::to_string(number);
  if (original.ends_with(';'))
    return "if (" + active + ") { " + replacement + " } else { " + original + " }";
  return "(" + active + " ? (" + replacement + ") : (" + original + "))";
}

/// File contents by path below SOURCES.
using Files = std::map<std::string, std::string>;

std::string path_of(const Mutant& mutant) {
  const std::string file(mutant.file);
  return file.find('/') == std::string::npos ? "core/kernels/" + file : file;
}

void apply(const Mutant& mutant, int number, Files& files) {
  const std::string path = path_of(mutant);
  std::string& text = files.at(path);
  const std::size_t at = text.find(mutant.original);
  if (at == std::string::npos || text.find(mutant.original, at + 1) != std::string::npos) {
    throw std::runtime_error(std::string(mutant.name) + ": " + path +
                             " must hold exactly once: " + std::string(mutant.original));
  }
  text.replace(at, mutant.original.size(), mutated(mutant, number));
}

void make_mutants(const fs::path& sources, const fs::path& out, Files files) {
  for (auto& [path, text] : files) text = read(sources / path);
  int number = 0;
  for (const Mutant& mutant : mutants()) apply(mutant, ++number, files);
  for (const Mutant& mutant : configuration_mutants()) apply(mutant, ++number, files);
  for (const auto& [path, text] : files) {
    fs::create_directories((out / path).parent_path());
    std::ofstream(out / path) << text;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw std::runtime_error("usage: make_mutants SOURCES OUT FILE...");
    Files files;
    for (int i = 3; i < argc; ++i) files[argv[i]];
    make_mutants(argv[1], argv[2], std::move(files));
  } catch (const std::exception& problem) {
    std::cerr << "make_mutants: " << problem.what() << '\n';
    return 2;
  }
}
