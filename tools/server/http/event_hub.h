// Sends events to the followers of a topic: Server-Sent Events, without sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.h"
#include "parallel/mutex.h"
#include "tools/server/http/http_message.h"

namespace manyply {

inline constexpr std::size_t kMaxEventStreams = 2048;  ///< open at one time; beyond: 503

struct EventHubOptions {
  std::size_t max_streams = kMaxEventStreams;
  std::size_t events_per_topic = 64;          ///< kept for who comes back
  std::size_t bytes = std::size_t{16} << 20;  ///< of all kept events; older ones go first
  std::chrono::milliseconds retry{1000};      ///< after which clients shall come back
};

/// An event of a topic, as sent to its followers.
struct TopicEvent {
  std::string name;        ///< the field `event`
  std::string data;        ///< the field `data`; may have several lines
  bool overtaken = false;  ///< told only while it is the newest: progress, not a state
  bool last = false;       ///< nothing comes after it
};

/// Keeps the newest events of each topic. Who comes with the id of a kept event gets all that came
/// after it; anybody else gets the topic's present state first. Ids ascend, also from one process
/// to the next, so an id of an earlier process is simply one that is not kept.
///
/// A reader that is slower than its topic misses what was overtaken, never a state; nothing waits
/// for it, and it costs no memory. Thread safety: everything from any thread; only open() may wait
/// (for `current`). Lock level: a leaf; it is not held during callbacks.
class EventHub {
 public:
  /// The topic as it stands; none: there is no such topic. May wait for the disk.
  using Current = std::function<Result<std::optional<TopicEvent>>(TopicId)>;
  using Listener = std::function<void(TopicId)>;

  /// Ids begin behind `last_id`; without one, behind what the clock says.
  explicit EventHub(Current current, EventHubOptions options = {},
                    std::optional<std::uint64_t> last_id = std::nullopt);
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// By one thread at a time. Never waits for readers.
  void publish(TopicId topic, const TopicEvent& event);

  /// `listener` is called, from the publisher's thread, after each event of a topic that is being
  /// followed. It must return soon. Null ends that, and waits for a call in progress.
  void set_listener(Listener listener);

  enum class Refusal : std::uint8_t {
    kNoSuchTopic,
    kTooMany,      ///< streams are open already
    kOver,         ///< the topic has ended, and the client has been told
    kUnavailable,  ///< the topic cannot be read
  };
  class Stream;
  std::variant<Stream, Refusal> open(TopicId topic, std::optional<std::uint64_t> last_event_id);

  [[nodiscard]] std::size_t streams() const;
  [[nodiscard]] std::size_t bytes() const;  ///< of kept events

 private:
  struct Event {
    std::uint64_t id;
    bool overtaken;
    std::string text;
  };
  struct Ring {
    std::deque<Event> events;
    std::uint64_t dropped = 0;  ///< events that were before the first one
    std::size_t streams = 0;
    bool final = false;
    std::list<TopicId>::iterator age;  ///< in ages_
  };

  Ring& ring_of(TopicId topic) MANYPLY_REQUIRES(mutex_);
  void add(TopicId topic, const TopicEvent& event) MANYPLY_REQUIRES(mutex_);
  void drop_first(Ring& ring) MANYPLY_REQUIRES(mutex_);
  void close(TopicId topic);

  const Current current_;
  const EventHubOptions options_;

  mutable Mutex mutex_;
  std::map<TopicId, Ring> rings_ MANYPLY_GUARDED_BY(mutex_);
  std::list<TopicId> ages_ MANYPLY_GUARDED_BY(mutex_);  ///< of rings_; the longest silent first
  std::uint64_t last_id_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t forgotten_ MANYPLY_GUARDED_BY(mutex_) = 0;  ///< rings
  std::size_t bytes_ MANYPLY_GUARDED_BY(mutex_) = 0;
  std::size_t streams_ MANYPLY_GUARDED_BY(mutex_) = 0;

  Mutex listener_mutex_;  ///< held during its calls
  Listener listener_ MANYPLY_GUARDED_BY(listener_mutex_);
};

/// One reader's place in the events of one topic. One thread at a time; must not outlive the hub.
class EventHub::Stream {
 public:
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  /// What is to be sent now; empty: nothing yet. What newer events have overtaken is left out.
  std::string next();
  /// The final event was in what next() answered.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  friend class EventHub;
  Stream(EventHub* hub, TopicId topic, std::uint64_t place, std::uint64_t replay_to)
      : hub_(hub), topic_(topic), place_(place), replay_to_(replay_to) {}

  EventHub* hub_ = nullptr;
  TopicId topic_ = 0;
  std::uint64_t place_ = 0;      ///< the next event's number within its topic
  std::uint64_t replay_to_ = 0;  ///< events before this one are all told
  bool greeted_ = false;
  bool ended_ = false;
};

}  // namespace manyply
