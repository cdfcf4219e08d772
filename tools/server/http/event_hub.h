// Distributes the events of topics to readers as Server-Sent Events, without sockets.
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

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "tools/server/http/http_message.h"

namespace manyply {

/// Limits of an EventHub.
struct EventHubOptions {
  std::size_t max_streams = 2048;     ///< limit on open streams; beyond it: 503
  std::size_t events_per_topic = 64;  ///< number of events kept for clients that reconnect
  /// Limit on the size of all kept events together, in bytes. If a new event exceeds the limit, the
  /// hub drops topics without streams, the least recently used topic first. If that is not
  /// sufficient, the hub drops the oldest events of the new event's topic. The hub always keeps the
  /// new event.
  std::size_t bytes = std::size_t{16} << 20;
  std::chrono::milliseconds retry{1000};  ///< how long clients should wait before they reconnect
};

/// One event of a topic.
struct TopicEvent {
  std::string name;  ///< the field `event`
  std::string data;  ///< the field `data`; may have several lines
  /// True for an event that reports progress, not a change of state. If a newer event exists, a
  /// connected client receives only the newer event, and a client that reconnects receives both.
  bool overtaken = false;
  bool last = false;  ///< the last event of the topic
};

/// Keeps the newest events of each topic. A client that sends the id of a kept event receives all
/// later events. Any other client first receives the current state of the topic. Ids ascend,
/// normally even across restarts. So an id from before a restart normally belongs to no kept event,
/// and a client that sends it receives the current state.
///
/// Each client has a reader, its Stream. A slow reader misses outdated progress events. If the hub
/// drops a change of state before a slow reader has read it, the reader misses this change, too.
/// Every reader receives the newest event. The functions do not wait for readers. A slow reader
/// needs no additional memory.
///
/// Thread safety: all functions may be called from any thread. Only open() and set_listener() may
/// block. A thread that holds `mutex_` takes no other lock and runs no callback.
class EventHub {
 public:
  /// Returns the current state of a topic; nullopt if there is no such topic. May block on disk
  /// I/O.
  using Current = std::function<Result<std::optional<TopicEvent>>(TopicId)>;
  /// Receives the topic of a new event.
  using Listener = std::function<void(TopicId)>;

  /// Ids start after `last_id`. If `last_id` is nullopt, ids start after a number that is derived
  /// from the clock.
  explicit EventHub(Current current, EventHubOptions options = {},
                    std::optional<std::uint64_t> last_id = std::nullopt);
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Adds an event. Called by one thread at a time. Never waits for readers.
  void publish(TopicId topic, const TopicEvent& event);

  /// Sets the function that the publisher's thread calls after each event of a topic with streams.
  /// The function must return soon. Null removes the previous function. set_listener() blocks until
  /// a running call of the previous function has returned.
  void set_listener(Listener listener);

  /// Why a stream was not opened.
  enum class Refusal : std::uint8_t {
    kNoSuchTopic,
    kTooMany,      ///< too many streams are open
    kOver,         ///< the topic has ended, and the client has received the topic's last event
    kUnavailable,  ///< the topic cannot be read
  };
  class Stream;
  /// Opens a stream. If the event `last_event_id` is kept, the stream starts with the event after
  /// it. Otherwise the stream starts with the current state. May block on disk I/O.
  std::variant<Stream, Refusal> open(TopicId topic, std::optional<std::uint64_t> last_event_id);

  /// Returns the number of open streams.
  [[nodiscard]] std::size_t streams() const;
  [[nodiscard]] std::size_t bytes() const;  ///< size of all kept events together

 private:
  /// A kept event in the format in which it is sent.
  struct Event {
    std::uint64_t id;
    bool overtaken;
    std::string text;
  };
  /// The kept events of one topic, oldest first.
  struct Ring {
    std::deque<Event> events;
    std::uint64_t dropped = 0;  ///< number of events that were dropped so far
    std::size_t streams = 0;
    bool final = false;
    std::list<TopicId>::iterator age;  ///< place in ages_
  };

  Ring& ring_of(TopicId topic) MANYPLY_REQUIRES(mutex_);
  void add(TopicId topic, const TopicEvent& event) MANYPLY_REQUIRES(mutex_);
  void drop_first(Ring& ring) MANYPLY_REQUIRES(mutex_);
  void close(TopicId topic);

  const Current current_;
  const EventHubOptions options_;

  mutable Mutex mutex_;
  std::map<TopicId, Ring> rings_ MANYPLY_GUARDED_BY(mutex_);
  /// The topics of rings_, the least recently used first. Calls of publish() and open() count as
  /// uses.
  std::list<TopicId> ages_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t last_id_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t forgotten_ MANYPLY_GUARDED_BY(mutex_) = 0;  ///< number of rings deleted so far
  std::size_t bytes_ MANYPLY_GUARDED_BY(mutex_) = 0;
  std::size_t streams_ MANYPLY_GUARDED_BY(mutex_) = 0;

  Mutex listener_mutex_;  ///< held while the listener runs
  Listener listener_ MANYPLY_GUARDED_BY(listener_mutex_);
};

/// The place of one reader in the events of one topic. Used by one thread at a time; must not
/// outlive the hub.
class EventHub::Stream {
 public:
  /// Returns the text to send now; empty if there is no new event. Leaves out outdated progress
  /// events. The text of the first call starts with the field `retry`.
  std::string next();
  /// Returns whether next() has returned the final event.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  friend class EventHub;
  struct Close {
    TopicId topic;
    void operator()(EventHub* hub) const { hub->close(topic); }
  };
  Stream(EventHub* hub, TopicId topic, std::uint64_t place, std::uint64_t replay_to)
      : hub_(hub, Close{topic}), place_(place), replay_to_(replay_to) {}

  std::unique_ptr<EventHub, Close> hub_;
  std::uint64_t place_ = 0;      ///< number of the next event within its topic
  std::uint64_t replay_to_ = 0;  ///< all events before this number are sent, even outdated ones
  bool greeted_ = false;
  bool ended_ = false;
};

}  // namespace manyply
