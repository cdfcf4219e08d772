// What tools/wasm has in place of the standard library's: sorts, and printf. Prints what is wrong,
// and how much of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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

}  // namespace

int main() {
  sorts();
  printf_like();
  return wrong == 0 ? 0 : 1;
}
