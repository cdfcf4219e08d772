// make_mutants SOURCES OUT: writes OUT/core/kernels/FILE for each kernel source
// SOURCES/core/kernels/FILE, with all errors of mutants.h built in. Fails when a text to change
// does not stand there exactly once.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

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

void apply(const Mutant& mutant, int number, std::string& text) {
  const std::size_t at = text.find(mutant.original);
  if (at == std::string::npos || text.find(mutant.original, at + 1) != std::string::npos) {
    throw std::runtime_error(std::string(mutant.name) + ": core/kernels/" +
                             std::string(mutant.file) +
                             " must hold exactly once: " + std::string(mutant.original));
  }
  text.replace(at, mutant.original.size(), mutated(mutant, number));
}

bool is_kernel_source(const fs::path& path) {
  return path.extension() == ".inc" ||
         (path.extension() == ".cpp" && path.filename().string().starts_with("kernel_"));
}

void make_mutants(const fs::path& sources, const fs::path& out) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(sources / "core" / "kernels")) {
    if (is_kernel_source(entry.path()))
      files[entry.path().filename().string()] = read(entry.path());
  }
  int number = 0;
  for (const Mutant& mutant : mutants())
    apply(mutant, ++number, files.at(std::string(mutant.file)));
  fs::create_directories(out / "core" / "kernels");
  for (const auto& [name, text] : files) std::ofstream(out / "core" / "kernels" / name) << text;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: make_mutants SOURCES OUT");
    make_mutants(argv[1], argv[2]);
  } catch (const std::exception& problem) {
    std::cerr << "make_mutants: " << problem.what() << '\n';
    return 2;
  }
}
