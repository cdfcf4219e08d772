#include <gmock/gmock.h>

#include "tools/campaign/worker.h"

namespace manyply {
namespace {

using testing::ElementsAre;

ClaimedRange twelve_claimed(std::uint32_t batches_there) {
  return {.key = {},
          .epoch = 1,
          .range = {.first = 4, .units = 12, .batches = 3},
          .batches_there = batches_there};
}

TEST(RangeWork, IsTheBatchesThatAreNotThere) {
  const RangeWork all = work_of(twelve_claimed(0));
  EXPECT_THAT(all.parts, ElementsAre(UnitSpan{4, 8}, UnitSpan{8, 12}, UnitSpan{12, 16}));
  EXPECT_THAT(all.batches, ElementsAre(0, 1, 2));
  const RangeWork without_middle = work_of(twelve_claimed(0b010));
  EXPECT_THAT(without_middle.parts, ElementsAre(UnitSpan{4, 8}, UnitSpan{12, 16}));
  EXPECT_THAT(without_middle.batches, ElementsAre(0, 2));
  EXPECT_THAT(work_of(twelve_claimed(0b011)).parts, ElementsAre(UnitSpan{12, 16}));
  EXPECT_TRUE(work_of(twelve_claimed(0b111)).parts.empty());
}

}  // namespace
}  // namespace manyply
