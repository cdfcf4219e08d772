#include "core/base/stop_view.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "tests/support/stops.h"

namespace manyply {
namespace {

TEST(StopView, OfNobodyNeverStops) { EXPECT_FALSE(StopView().stop_requested()); }

TEST(StopView, CopiesSeeWhatIsViewed) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopView view = token;
  StopView copy;
  copy = view;
  EXPECT_FALSE(view.stop_requested());
  source.request_stop();
  EXPECT_TRUE(view.stop_requested());
  EXPECT_TRUE(copy.stop_requested());
}

TEST(StopView, ViewsWhateverAnswers) {
  const CountedLooks source(4);
  const StopView view = source;
  for (int look = 1; look <= 3; ++look) EXPECT_FALSE(view.stop_requested()) << look;
  EXPECT_TRUE(view.stop_requested());
  EXPECT_EQ(source.looks(), 4U) << "the view's are the source's";
}

}  // namespace
}  // namespace manyply
