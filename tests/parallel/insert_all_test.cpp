// Compares inserting many configurations into a set at once with inserting them one after another.

#include "parallel/matrix/insert_all.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/parallel/jobs.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

/// Returns configurations that each differ in one set from each other, in random order, most of
/// them more than once.
std::vector<Configuration> some_configurations(const Chooser& choose, std::size_t count) {
  std::vector<Configuration> items(count);
  for (Configuration& item : items) {
    Bitboard* const sets[] = {&item.pieces.pawns,          &item.pieces.knights,
                              &item.pieces.bishops_queens, &item.pieces.rooks_queens,
                              &item.pieces.king,           &item.castling};
    *sets[choose(6)] = choose(count / 16 + 1);
  }
  return items;
}

TEST(InsertAll, GivesTheNumbersOfOneAfterTheOther) {
  for (const int threads : kWorkerCounts) {
    const Chooser choose = choose_by_seed(40);
    const Workers workers(threads);
    ConfigurationSet one_by_one;
    ConfigurationSet set;
    for (const std::size_t count :
         std::initializer_list<std::size_t>{0, 1, 100, 20'000, 5'000, 60'000}) {
      const std::vector<Configuration> items = some_configurations(choose, count);
      std::vector<std::uint32_t> numbers(count);
      insert_all(set, items, numbers, workers);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(numbers[i], one_by_one.insert(items[i])) << i;
      ASSERT_EQ(set.size(), one_by_one.size());
      for (std::size_t number = 0; number < set.size(); ++number) {
        ASSERT_EQ(set[number], one_by_one[number]);
        ASSERT_EQ(set.find(set[number]), number);
      }
    }
  }
}

}  // namespace
}  // namespace manyply
