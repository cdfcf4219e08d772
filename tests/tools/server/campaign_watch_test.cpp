#include "tools/server/campaign_watch.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string_view>

#include "core/base/mutex.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using testing::ElementsAre;

/// A database whose answers the test gives, one after another.
class ToldReader : public CampaignReader {
 public:
  /// Sets the answer to the next reading; nullopt: there is no answer.
  void tell(std::optional<std::string> name) {
    const MutexLock lock(mutex_);
    told_ = std::move(name);
    is_told_ = true;
    changed_.notify_all();
  }
  /// Makes the next reading throw an exception.
  void fail() { tell(std::string(kThrows)); }
  /// Returns whether the reading thread waits for the next answer.
  bool is_asked() {
    const MutexLock lock(mutex_);
    return asked_ && !is_told_;
  }

  Result<std::vector<CampaignView>> read(const std::stop_token& stop) override {
    const MutexLock lock(mutex_);
    asked_ = true;
    const bool told =
        changed_.wait(mutex_, stop, [&]() MANYPLY_REQUIRES(mutex_) { return is_told_; });
    asked_ = is_told_ = false;
    if (!told || !told_) return Error{ErrorCode::kUnavailable, "database", 0, "is away"};
    if (*told_ == kThrows) throw std::runtime_error("broken");
    CampaignView view;
    view.name = *told_;
    return std::vector{view};
  }

 private:
  static constexpr std::string_view kThrows = "throws";

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool asked_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool is_told_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::optional<std::string> told_ MANYPLY_GUARDED_BY(mutex_);
};

class CampaignWatchTest : public testing::Test {
 protected:
  static constexpr CampaignWatch::Pace kFast{.every = std::chrono::milliseconds(1),
                                             .interest = std::chrono::hours(1),
                                             .idle = std::chrono::hours(1)};
  void start() {
    auto reader = std::make_unique<ToldReader>();
    database_ = reader.get();
    watch_.emplace(
        std::move(reader),
        [this](const std::optional<Error>& problem) {
          const MutexLock lock(mutex_);
          news_.push_back(problem ? problem->message : "here");
        },
        kFast);
  }
  std::string seen() {
    const auto picture = watch_->look();
    return picture ? picture->campaigns->front().name : "nothing";
  }
  std::vector<std::string> news() {
    const MutexLock lock(mutex_);
    return news_;
  }

  Mutex mutex_;
  std::vector<std::string> news_ MANYPLY_GUARDED_BY(mutex_);
  ToldReader* database_ = nullptr;
  std::optional<CampaignWatch> watch_;
};

TEST_F(CampaignWatchTest, NobodyWaitsForADatabaseThatSaysNothing) {
  start();
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  EXPECT_EQ(seen(), "nothing");
  database_->tell("first");
  ASSERT_TRUE(eventually([&] { return seen() == "first"; }));
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  EXPECT_EQ(seen(), "first");
  watch_.reset();  // ends although the reading thread still waits
  EXPECT_THAT(news(), ElementsAre("here"));
}

TEST_F(CampaignWatchTest, WhatIsAwayIsShownAsItWasAndHealsByItself) {
  start();
  database_->tell(std::nullopt);
  ASSERT_TRUE(eventually([&] { return !news().empty(); }));
  EXPECT_EQ(seen(), "nothing");
  database_->tell("first");
  ASSERT_TRUE(eventually([&] { return seen() == "first"; }));
  EXPECT_FALSE(watch_->look()->away);
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  database_->tell(std::nullopt);
  ASSERT_TRUE(eventually([&] { return watch_->look()->away; }));
  EXPECT_EQ(seen(), "first");
  const double age = watch_->look()->age_seconds;
  EXPECT_GE(watch_->look()->age_seconds, age);
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  database_->tell("second");
  ASSERT_TRUE(eventually([&] { return seen() == "second"; }));
  EXPECT_FALSE(watch_->look()->away);
  ASSERT_TRUE(eventually([&] { return news().size() == 4; }));
  EXPECT_THAT(news(), ElementsAre("is away", "here", "is away", "here"));
}

TEST_F(CampaignWatchTest, AReadThatThrowsHasFailed) {
  start();
  database_->tell("first");
  ASSERT_TRUE(eventually([&] { return seen() == "first"; }));
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  database_->fail();
  ASSERT_TRUE(eventually([&] { return watch_->look()->away; }));
  EXPECT_EQ(seen(), "first");
  ASSERT_TRUE(eventually([&] { return database_->is_asked(); }));
  database_->tell("second");
  ASSERT_TRUE(eventually([&] { return seen() == "second"; }));
  ASSERT_TRUE(eventually([&] { return news().size() == 3; }));
  EXPECT_THAT(news(), ElementsAre("here", "broken", "here"));
}

TEST_F(CampaignWatchTest, WhoLooksHasItReadAnew) {
  start();
  database_->tell("first");
  ASSERT_TRUE(eventually([&] { return !news().empty(); }));
  EXPECT_FALSE(database_->is_asked()) << "nobody has looked";
  seen();
  EXPECT_TRUE(eventually([&] { return database_->is_asked(); }));
}

}  // namespace
}  // namespace manyply
