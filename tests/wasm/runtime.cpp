// What tools/wasm has in place of the standard library's: sorts, printf and strtod. Prints what is
// wrong, and how much of it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

int wrong = 0;
void expect(bool is, const std::string& what) {
  if (is) return;
  std::puts(what.c_str());
  ++wrong;
}

using Entry = std::pair<int, std::string>;  // the second tells in which order they came

void sort_all(std::vector<Entry> given, const std::string& what) {
  for (std::size_t i = 0; i < given.size(); ++i) given[i].second = std::to_string(100'000 + i);
  std::vector<Entry> stable = given;
  std::ranges::stable_sort(stable, std::greater(), &Entry::first);
  expect(std::ranges::is_sorted(stable,
                                [](const Entry& a, const Entry& b) {
                                  return a.first != b.first ? a.first > b.first
                                                            : a.second < b.second;
                                }),
         what + ": stable_sort");
  std::vector<Entry> sorted = given;
  std::ranges::sort(sorted);
  expect(std::ranges::is_sorted(sorted), what + ": sort");
  std::ranges::reverse(sorted);
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.second < b.second; });
  expect(sorted == given, what + ": none is lost");
  std::vector<unsigned> numbers;
  for (const Entry& entry : given) numbers.push_back(static_cast<unsigned>(entry.first));
  std::ranges::sort(numbers);
  expect(std::ranges::is_sorted(numbers), what + ": numbers");
}

void sorts() {
  std::minstd_rand random;
  for (const int size : {0, 1, 2, 3, 5, 11, 12, 13, 14, 15, 40, 1000, 20'000})
    for (const unsigned different : {1U, 2U, 10U, 1'000'000U}) {
      std::vector<Entry> entries(static_cast<std::size_t>(size));
      for (Entry& entry : entries) entry.first = static_cast<int>(random() % different);
      const std::string what = std::to_string(size) + " of " + std::to_string(different);
      sort_all(entries, what);
      std::ranges::sort(entries);
      sort_all(entries, what + ", ascending");
      std::ranges::reverse(entries);
      sort_all(entries, what + ", descending");
      for (std::size_t i = 0; i < entries.size() / 2; ++i)
        entries[i] = entries[entries.size() - 1 - i];
      sort_all(entries, what + ", there and back");
    }
}

template <typename... Values>
void prints(const std::string& expected, const char* format, Values... values) {
  std::array<char, 24> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  expect(text.data() == expected && length == static_cast<int>(expected.size()),
         expected + " and not " + text.data());
}

void printf_like() {
  prints("256 MiB, 1.5 GiB", "%.0f %s, %.1f %s", 256.0, "MiB", 1.5, "GiB");
  prints("\\u001f\\u00e9", "\\u%04x\\u%04x", 0x1FU, 0xE9U);
  prints("<U+0007>", "<U+%.4X>", 7U);
  prints("0A FF", "%.2hhX %.2hhX", 10U, 255U);
  prints("1.23457 1e+20 -0.0001", "%.*g %g %g", 6, 1.234567, 1e20, -1e-4);
  prints("2.5", "%.*g", 3, 2.5);
  prints("-7: none, 100", "%i: %s, %d", -7, "none", 100);
  std::array<char, 4> small{};
  expect(std::snprintf(small.data(), small.size(), "%s", "longer") == 6 &&
             std::string(small.data()) == "lon",
         "what has no room");
}

void reads(double expected, const std::string& text, std::size_t length) {
  char* end = nullptr;
  const double found = std::strtod(text.c_str(), &end);
  expect(found == expected && end == text.c_str() + length, text.substr(0, 40));
}

void strtod_like() {
  reads(0.1, "0.1", 3);
  reads(-1250, " -00012.50e+2,", 13);
  reads(5, "5.e", 2);
  reads(0, ".", 0);
  reads(0, "0e999999999999", 14);
  reads(HUGE_VAL, "1.7976931348623159e308", 22);
  reads(1.7976931348623157e308, "1.7976931348623158e308", 22);
  reads(2.2250738585072011e-308, "2.2250738585072011e-308", 23);
  reads(0, "2.4703282292062327e-324", 23);  // less than half of the least
  reads(4.9e-324, "2.4703282292062328e-324", 23);
  // In the middle of two, and behind it.
  reads(9007199254740992, "9007199254740993", 16);
  const std::string middle = "9007199254740993." + std::string(900, '0');
  reads(9007199254740992, middle, middle.size());
  reads(9007199254740994, middle + "1", middle.size() + 1);
  // All that is printed in full is read as it was.
  std::mt19937_64 random;
  for (int i = 0; i < 10'000; ++i) {
    const auto value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(value)) continue;
    std::array<char, 32> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.*g", 17, value);
    reads(value, text.data(), static_cast<std::size_t>(length));
  }
}

}  // namespace

int main() {
  sorts();
  strtod_like();
  printf_like();
  return wrong == 0 ? 0 : 1;
}
