#include "tools/server/http/event_hub.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

namespace manyply {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EventHubTest : public testing::Test {
 protected:
  static TopicEvent at(const std::string& state, const std::string& phase = "") {
    const bool last = state == "done";
    const bool progress = !phase.empty();
    return {last ? state : progress ? "progress" : "state", state + phase, progress, last};
  }

  EventHub& hub() {
    if (!hub_) {
      hub_.emplace([this](TopicId id) { return current(id); }, options_, 99);
    }
    return *hub_;
  }
  Result<std::optional<TopicEvent>> current(TopicId id) {
    ++looked_;
    if (broken_) return Error{ErrorCode::kUnavailable, "state", 0, "broken"};
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    const auto found = stored_.find(id);
    return found == stored_.end() ? std::nullopt : std::optional(found->second);
  }
  void state(TopicId id, const std::string& state) { hub().publish(id, at(state)); }
  void progress(TopicId id, const std::string& phase) { hub().publish(id, at("running", phase)); }
  EventHub::Stream open(TopicId id, std::optional<std::uint64_t> last = std::nullopt) {
    return std::get<EventHub::Stream>(hub().open(id, last));
  }
  EventHub::Refusal refusal(TopicId id, std::optional<std::uint64_t> last = std::nullopt) {
    return std::get<EventHub::Refusal>(hub().open(id, last));
  }

  EventHubOptions options_;
  std::map<TopicId, TopicEvent> stored_;
  bool broken_ = false;
  int looked_ = 0;
  std::function<void()> meanwhile_;
  std::optional<EventHub> hub_;
};

TEST_F(EventHubTest, TellsAJobFromItsPresentStateToItsEnd) {
  state(7, "queued");
  state(7, "running");
  EventHub::Stream stream = open(7);
  EXPECT_EQ(stream.next(), "retry: 1000\n\nid: 101\nevent: state\ndata: running\n\n");
  EXPECT_EQ(stream.next(), "");
  progress(7, " 1");
  EXPECT_EQ(stream.next(), "id: 102\nevent: progress\ndata: running 1\n\n");
  EXPECT_FALSE(stream.ended());
  state(7, "done");
  EXPECT_EQ(stream.next(), "id: 103\nevent: done\ndata: done\n\n");
  EXPECT_TRUE(stream.ended());
  EXPECT_EQ(looked_, 0);
}

TEST_F(EventHubTest, AsksForJobsThatHaveBeenSilent) {
  stored_[3] = at("running");
  stored_[4] = at("done");
  EXPECT_THAT(open(3).next(), HasSubstr("event: state\ndata: running\n"));
  EventHub::Stream old = open(4);
  EXPECT_THAT(old.next(), HasSubstr("event: done\n"));
  EXPECT_TRUE(old.ended());
  EXPECT_EQ(refusal(5), EventHub::Refusal::kNoSuchTopic);
  broken_ = true;
  EXPECT_EQ(refusal(6), EventHub::Refusal::kUnavailable);
}

TEST_F(EventHubTest, TakesUpWhereAClientLeft) {
  state(1, "running");  // 100
  for (const char* phase : {" a", " b", " c"}) progress(1, phase);
  EXPECT_THAT(open(1, 101).next(),
              AllOf(HasSubstr("running b"), HasSubstr("running c"), Not(HasSubstr("running a"))));
  EventHub::Stream newest = open(1, 103);
  EXPECT_EQ(newest.next(), "retry: 1000\n\n") << "nothing has happened since";
  state(1, "done");
  EXPECT_THAT(newest.next(), HasSubstr("id: 104\nevent: done"));
  EXPECT_EQ(refusal(1, 104), EventHub::Refusal::kOver);
  EXPECT_THAT(open(1, 103).next(), HasSubstr("event: done"));
}

TEST_F(EventHubTest, GivesThePresentStateForAnIdOfAnotherLifeOrJob) {
  state(1, "running");  // 100
  state(2, "running");  // 101
  for (const std::uint64_t unknown :
       {std::uint64_t{0}, std::uint64_t{101}, std::uint64_t{12345}, UINT64_MAX}) {
    EXPECT_THAT(open(1, unknown).next(), HasSubstr("id: 100\nevent: state\ndata: running\n"));
  }
  state(1, "done");
  EXPECT_THAT(open(1, 5).next(), HasSubstr("event: done")) << "the end is told again";
}

TEST_F(EventHubTest, IdsOfAnotherProcessAreSmaller) {
  const auto first_id = [] {
    EventHub hub([](TopicId) { return std::optional(at("done")); });
    const std::string text = std::get<EventHub::Stream>(hub.open(1, {})).next();
    return std::stoull(text.substr(text.find("id: ") + 4));
  };
  const auto id = first_id();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GT(first_id(), id);
}

TEST_F(EventHubTest, LeavesOutProgressThatWasOvertaken) {
  state(1, "running");
  EventHub::Stream stream = open(1);
  stream.next();
  progress(1, " a");
  progress(1, " b");
  state(1, "queued");
  progress(1, " c");
  progress(1, " d");
  const std::string text = stream.next();
  EXPECT_THAT(text, AllOf(HasSubstr("data: queued"), HasSubstr("running d")));
  EXPECT_THAT(text, Not(HasSubstr("running b")));
  EXPECT_THAT(text, Not(HasSubstr("running c")));
}

TEST_F(EventHubTest, ASlowReaderCostsNoMemoryAndHearsTheEnd) {
  options_.events_per_topic = 4;
  state(1, "running");
  EventHub::Stream stream = open(1);
  for (int i = 0; i < 10'000; ++i) progress(1, " " + std::to_string(i));
  EXPECT_LT(hub().bytes(), 1000u);
  state(1, "done");
  EXPECT_THAT(stream.next(), HasSubstr("event: done"));
  EXPECT_TRUE(stream.ended());
}

TEST_F(EventHubTest, ForgetsTheLongestSilentJobs) {
  options_.bytes = 2000;
  state(1, "running");  // 100
  EventHub::Stream followed = open(1);
  for (TopicId id = 2; id < 200; ++id) {
    state(id, "done");
    EXPECT_LE(hub().bytes(), options_.bytes);
  }
  EXPECT_THAT(followed.next(), HasSubstr("id: 100\n")) << "followed jobs are not forgotten";
  EXPECT_EQ(looked_, 0);
  stored_[2] = at("done");
  EXPECT_THAT(open(2).next(), HasSubstr("event: done"));
  EXPECT_EQ(looked_, 1);
  EXPECT_THAT(open(199).next(), HasSubstr("event: done"));
  EXPECT_EQ(looked_, 1);
}

TEST_F(EventHubTest, KeepsOnlyTheNewestEventOfFollowedJobsWhenThereIsNoRoom) {
  options_.bytes = 300;
  std::vector<EventHub::Stream> streams;
  for (TopicId id = 1; id <= 10; ++id) {
    state(id, "running");
    streams.push_back(open(id));
  }
  for (int i = 0; i < 100; ++i) progress(1 + i % 10, " p");
  EXPECT_LT(hub().bytes(), 10 * 60u);
  for (EventHub::Stream& stream : streams) EXPECT_THAT(stream.next(), HasSubstr("running"));
}

TEST_F(EventHubTest, AnEndBetweenLookingAndOpeningIsNotMissed) {
  options_.bytes = 200;
  stored_[1] = at("running");
  meanwhile_ = [this] {  // the topic ends and is dropped
    stored_[1] = at("done");
    state(1, "done");
    for (TopicId id = 2; id < 20; ++id) state(id, "done");
  };
  EventHub::Stream stream = open(1);
  EXPECT_THAT(stream.next(), HasSubstr("event: done"));
  EXPECT_TRUE(stream.ended());
}

TEST_F(EventHubTest, LimitsOpenStreams) {
  options_.max_streams = 3;
  state(1, "running");
  {
    std::vector<EventHub::Stream> streams;
    for (int i = 0; i < 3; ++i) streams.push_back(open(1));
    EXPECT_EQ(hub().streams(), 3u);
    EXPECT_EQ(refusal(1), EventHub::Refusal::kTooMany);
    streams.pop_back();
    EXPECT_THAT(open(1).next(), HasSubstr("running"));
  }
  EXPECT_EQ(hub().streams(), 0u);
}

TEST_F(EventHubTest, BreaksLinesOfData) {
  hub().publish(1, {"state", "a\r\nb"});
  EXPECT_THAT(open(1).next(), HasSubstr("\ndata: a\ndata: b\n\n"));
}

TEST_F(EventHubTest, CallsTheListenerForFollowedJobsOnly) {
  std::vector<TopicId> called;
  hub().set_listener([&](TopicId id) { called.push_back(id); });
  state(1, "running");
  state(2, "running");
  EXPECT_THAT(called, IsEmpty());
  const EventHub::Stream stream = open(2);
  progress(1, "");
  progress(2, "");
  EXPECT_THAT(called, ElementsAre(2));
  hub().set_listener(nullptr);
  progress(2, "");
  EXPECT_THAT(called, ElementsAre(2));
}

TEST_F(EventHubTest, ReadersAndThePublisherMeet) {
  options_.events_per_topic = 8;
  constexpr int kJobs = 4;
  for (int id = 0; id < kJobs; ++id) state(id, "running");
  std::atomic<int> ended{0};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (int id = 0; id < kJobs; ++id) {
        EventHub::Stream stream = open((id + reader) % kJobs);
        std::uint64_t last = 0;
        while (!stream.ended()) {
          const std::string text = stream.next();
          for (std::size_t at = text.find("id: "); at != std::string::npos;
               at = text.find("id: ", at + 1)) {
            const auto id_read = std::stoull(text.substr(at + 4));
            EXPECT_GT(id_read, last);
            last = id_read;
          }
        }
        ++ended;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) progress(i % kJobs, " x");
  for (int id = 0; id < kJobs; ++id) state(id, "done");
  readers.clear();
  EXPECT_EQ(ended, 4 * kJobs);
}

}  // namespace
}  // namespace manyply
