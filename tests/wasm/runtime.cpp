// Tests code in tools/wasm that replaces parts of the standard library, such as sorting. Prints the
// errors.
#include <algorithm>
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

using Entry = std::pair<int, std::string>;  // the second member shows the original order

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

}  // namespace

int main() {
  sorts();
  return wrong == 0 ? 0 : 1;
}
