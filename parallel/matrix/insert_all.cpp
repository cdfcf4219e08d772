#include "parallel/matrix/insert_all.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "parallel/chunk_queue.h"

namespace manyply {
namespace {

constexpr std::size_t kChunkItems = 2048;  // number of items that a worker takes at a time

void insert_alone(ConfigurationSet& set, std::span<const Configuration> items,
                  std::span<std::uint32_t> numbers) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i + kAhead < items.size()) {
      set.prefetch(items[i + kAhead]);
      set.prefetch_known(items[i + kAhead / 2]);
    }
    numbers[i] = set.insert(items[i]);
  }
}

}  // namespace

void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers, std::size_t expected) {
  constexpr std::size_t kChunkSlots = std::size_t{1} << 19;  // 2 MiB, a huge page
  const std::size_t chunks = (items.size() + kChunkItems - 1) / kChunkItems;
  if (workers.count() == 1 || chunks < 2) return insert_alone(set, items, numbers);
  ManyInsertions insertions(set, items, expected);
  const auto step = [&](const auto& body) {
    for_each_range(items.size(), kChunkItems, workers, {}, body);
  };
  for_each_range(insertions.slots_to_clear(), kChunkSlots, workers, {},
                 [&](std::size_t begin, std::size_t end) { insertions.clear(begin, end); });
  for_each_range(insertions.known(), kChunkItems, workers, {},
                 [&](std::size_t begin, std::size_t end) { insertions.place_known(begin, end); });
  step([&](std::size_t begin, std::size_t end) { insertions.place(begin, end); });
  std::vector<std::size_t> first(chunks + 1, set.size());  // by chunk: number of its first new item
  step([&](std::size_t begin, std::size_t end) {
    first[begin / kChunkItems + 1] = insertions.count_new(begin, end);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  insertions.make_room(first.back() - first.front());
  step([&](std::size_t begin, std::size_t end) {
    insertions.give_numbers(begin, end, first[begin / kChunkItems]);
  });
  step([&](std::size_t begin, std::size_t end) {
    insertions.read_numbers(begin, end, numbers.data());
  });
}

void insert_each(std::size_t count, const std::function<Configuration(std::size_t)>& item,
                 ConfigurationSet& set, const Workers& workers, StopView stop) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 16;
  std::vector<Configuration> items;
  std::vector<std::uint32_t> unused;
  for (std::size_t first = 0; first < count && !stop.stop_requested(); first += kAtOnce) {
    items.resize(std::min(count - first, kAtOnce));
    unused.resize(items.size());
    for_each_range(items.size(), kChunkItems, workers, {}, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) items[i] = item(first + i);
    });
    insert_all(set, items, unused, workers, count);
  }
}

}  // namespace manyply
