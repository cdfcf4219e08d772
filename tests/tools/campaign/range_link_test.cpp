#include "tools/campaign/range_link.h"

#include <gmock/gmock.h>

namespace manyply {
namespace {

using testing::ElementsAre;

/// Units 100 … 119 from place 0 on, in groups of 6.
UnitOrder twenty_units() {
  UnitOrder order = ascending_order(20);
  order.group_begin = {0, 6, 12, 18};
  for (std::uint32_t& unit : order.units) unit += 100;
  return order;
}

ClaimedRange twelve_claimed(std::uint32_t batches_there) {
  return {.key = {},
          .epoch = 1,
          .range = {.first = 4, .units = 12, .batches = 3},
          .batches_there = batches_there};
}

TEST(RangeWork, IsWhatIsNotThereAndCutsNoGroupBetweenBatches) {
  const RangeWork all = work_of(twenty_units(), twelve_claimed(0));
  EXPECT_THAT(all.order.units,
              ElementsAre(104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115));
  EXPECT_THAT(all.order.group_begin, ElementsAre(0, 2, 8));
  EXPECT_THAT(all.part_end, ElementsAre(4, 8, 12));
  EXPECT_THAT(all.batches, ElementsAre(0, 1, 2));

  const RangeWork without_middle = work_of(twenty_units(), twelve_claimed(0b010));
  EXPECT_THAT(without_middle.order.units, ElementsAre(104, 105, 106, 107, 112, 113, 114, 115));
  EXPECT_THAT(without_middle.order.group_begin, ElementsAre(0, 2, 4));
  EXPECT_THAT(without_middle.part_end, ElementsAre(4, 8));
  EXPECT_THAT(without_middle.batches, ElementsAre(0, 2));

  const RangeWork last = work_of(twenty_units(), twelve_claimed(0b011));
  EXPECT_THAT(last.order.units, ElementsAre(112, 113, 114, 115));
  EXPECT_THAT(last.part_end, ElementsAre(4));
  EXPECT_THAT(last.batches, ElementsAre(2));
  EXPECT_TRUE(work_of(twenty_units(), twelve_claimed(0b111)).batches.empty());
}

}  // namespace
}  // namespace manyply
