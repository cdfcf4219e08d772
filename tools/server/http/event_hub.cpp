#include "tools/server/http/event_hub.h"

#include <algorithm>
#include <utility>

namespace manyply {
namespace {

/// Returns an id that is normally larger than all ids of earlier processes. Exception: the id may
/// be smaller if the clock was set back, or if an earlier process sent more than a million events
/// per second. A client may then miss one kept event, but the next event corrects the client's
/// state.
std::uint64_t id_from_clock() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

/// Returns `event` in the format of Server-Sent Events.
std::string text_of(std::uint64_t id, const TopicEvent& event) {
  std::string text = "id: " + std::to_string(id) + "\nevent: " + event.name + "\ndata: ";
  for (const char c : event.data) {
    if (c != '\r') text += c;
    if (c == '\n') text += "data: ";
  }
  return text + "\n\n";
}

}  // namespace

EventHub::EventHub(Current current, EventHubOptions options, std::optional<std::uint64_t> last_id)
    : current_(std::move(current)),
      options_(options),
      last_id_(last_id ? *last_id : id_from_clock()) {}

EventHub::Ring& EventHub::ring_of(TopicId topic) {
  const auto [ring, is_new] = rings_.try_emplace(topic);
  if (is_new) {
    ring->second.age = ages_.insert(ages_.end(), topic);
  } else {
    ages_.splice(ages_.end(), ages_, ring->second.age);
  }
  return ring->second;
}

void EventHub::drop_first(Ring& ring) {
  bytes_ -= ring.events.front().text.size();
  ring.events.pop_front();
  ++ring.dropped;
}

void EventHub::add(TopicId topic, const TopicEvent& event) {
  Ring& ring = ring_of(topic);
  const std::uint64_t id = ++last_id_;
  ring.events.push_back({id, event.overtaken, text_of(id, event)});
  bytes_ += ring.events.back().text.size();
  ring.final = event.last;
  while (ring.events.size() > options_.events_per_topic) drop_first(ring);
  for (auto age = ages_.begin(); bytes_ > options_.bytes && age != ages_.end();) {
    const TopicId old = *age++;
    Ring& other = rings_.at(old);
    if (other.streams > 0 || old == topic) continue;
    while (!other.events.empty()) drop_first(other);
    ages_.erase(other.age);
    rings_.erase(old);
    ++forgotten_;
  }
  // If the limit is still exceeded, no other ring without streams is left to drop. So drop the
  // oldest events of this ring. The streams of this ring need only its newest event.
  while (bytes_ > options_.bytes && ring.events.size() > 1) drop_first(ring);
}

void EventHub::publish(TopicId topic, const TopicEvent& event) {
  bool followed = false;
  {
    const MutexLock lock(mutex_);
    add(topic, event);
    followed = rings_.at(topic).streams > 0;
  }
  if (!followed) return;
  const MutexLock lock(listener_mutex_);
  if (listener_) listener_(topic);
}

void EventHub::set_listener(Listener listener) {
  const MutexLock lock(listener_mutex_);
  listener_ = std::move(listener);
}

std::variant<EventHub::Stream, EventHub::Refusal> EventHub::open(
    TopicId topic, std::optional<std::uint64_t> last_event_id) {
  std::uint64_t forgotten = 0;
  bool known = false;
  {
    const MutexLock lock(mutex_);
    if (streams_ >= options_.max_streams) return Refusal::kTooMany;
    forgotten = forgotten_;
    known = rings_.contains(topic);
  }
  for (;;) {
    Result<std::optional<TopicEvent>> present = std::optional<TopicEvent>();
    if (!known) {
      present = current_(topic);
      if (!present) return Refusal::kUnavailable;
      if (!*present) return Refusal::kNoSuchTopic;
    }
    const MutexLock lock(mutex_);
    if (streams_ >= options_.max_streams) return Refusal::kTooMany;
    known = rings_.contains(topic);
    if (!known && (!*present || std::exchange(forgotten, forgotten_) != forgotten_)) {
      continue;  // the topic may have ended and been dropped after `present` was read
    }
    if (!known) add(topic, **present);
    Ring& ring = ring_of(topic);
    const std::uint64_t end = ring.dropped + ring.events.size();
    std::uint64_t place = end - 1;  // the current state
    if (last_event_id) {
      const auto seen = std::ranges::find(ring.events, *last_event_id, &Event::id);
      if (seen != ring.events.end())
        place = ring.dropped + static_cast<std::uint64_t>(seen - ring.events.begin()) + 1;
    }
    if (place == end && ring.final) return Refusal::kOver;
    ++ring.streams;
    ++streams_;
    return Stream(this, topic, place, end);
  }
}

void EventHub::close(TopicId topic) {
  const MutexLock lock(mutex_);
  --rings_.at(topic).streams;
  --streams_;
}

std::size_t EventHub::streams() const {
  const MutexLock lock(mutex_);
  return streams_;
}

std::size_t EventHub::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

std::string EventHub::Stream::next() {
  EventHub& hub = *hub_;
  std::string text;
  if (!std::exchange(greeted_, true))
    text = "retry: " + std::to_string(hub.options_.retry.count()) + "\n\n";
  const MutexLock lock(hub.mutex_);
  const Ring& ring = hub.rings_.at(hub_.get_deleter().topic);
  const std::uint64_t end = ring.dropped + ring.events.size();
  for (place_ = std::max(place_, ring.dropped); place_ < end; ++place_) {
    const Event& event = ring.events[place_ - ring.dropped];
    if (!event.overtaken || place_ < replay_to_ || place_ + 1 == end) text += event.text;
  }
  ended_ = ring.final;
  return text;
}

}  // namespace manyply
