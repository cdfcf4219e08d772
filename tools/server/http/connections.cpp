#include "tools/server/http/connections.h"

#include <algorithm>

namespace manyply {

using boost::system::error_code;
using std::chrono::milliseconds;

// NOLINTBEGIN(bugprone-unused-return-value): Asio also returns the error that it puts into `error`

TransportStats TransportCounters::read() const {
  TransportStats stats;
  stats.connections = connections.load(std::memory_order_relaxed);
  stats.streams = streams.load(std::memory_order_relaxed);
  stats.handling = handling.load(std::memory_order_relaxed);
  stats.accepted = accepted.load(std::memory_order_relaxed);
  stats.refused = refused.load(std::memory_order_relaxed);
  stats.evicted = evicted.load(std::memory_order_relaxed);
  stats.timeouts = timeouts.load(std::memory_order_relaxed);
  return stats;
}

Connections::Connections(const HttpLimits& limits, TransportCounters& counters,
                         std::function<void()> emptied, Now now)
    : limits_(limits),
      counters_(counters),
      emptied_(std::move(emptied)),
      now_(now ? std::move(now) : Connection::Clock::now) {}

Connections::Member::Member(Connections& all, const std::shared_ptr<Connection>& connection)
    : all_(all), connection_(*connection), place_(all.all_.insert(all.all_.end(), connection)) {
  all_.counters_.connections.store(all_.all_.size(), std::memory_order_relaxed);
}

Connections::Member::~Member() {
  all_.stop_waiting(connection_);
  all_.release_body(connection_);
  error_code ignored;
  connection_.socket.close(ignored);
  all_.all_.erase(place_);
  all_.counters_.connections.store(all_.all_.size(), std::memory_order_relaxed);
  if (all_.empty()) all_.emptied_();
}

void Connections::wait_for_client(Connection& connection, Connection::State state,
                                  milliseconds timeout) {
  connection.state = state;
  connection.deadline = now_() + timeout;
  if (connection.waits) return;
  connection.place = waiting_.insert(waiting_.end(), &connection);
  connection.waits = true;
}

void Connections::stop_waiting(Connection& connection) {
  connection.deadline = Connection::Clock::time_point::max();
  if (!std::exchange(connection.waits, false)) return;
  waiting_.erase(connection.place);
}

bool Connections::evict_one() {
  if (waiting_.empty()) return false;
  Connection& longest = *waiting_.front();
  stop_waiting(longest);
  longest.evicted = true;
  error_code ignored;
  longest.socket.close(ignored);
  increment(counters_.evicted);
  return true;
}

bool Connections::charge_body(Connection& connection, std::size_t bytes) {
  body_bytes_ += bytes - connection.body_bytes;
  connection.body_bytes = bytes;
  while (body_bytes_ > limits_.all_body_bytes) {
    const auto longest =
        std::ranges::find_if(waiting_, [](const Connection* each) { return each->body_bytes > 0; });
    if (longest == waiting_.end() || *longest == &connection) return false;
    // The body's memory is freed when its coroutine continues, before anything else is read.
    release_body(**longest);
    (*longest)->made_room = true;
    error_code ignored;
    (*longest)->socket.cancel(ignored);
    increment(counters_.evicted);
  }
  return true;
}

void Connections::release_body(Connection& connection) {
  body_bytes_ -= std::exchange(connection.body_bytes, 0);
}

void Connections::end_overdue() {
  const Connection::Clock::time_point now = now_();
  error_code ignored;
  for (const auto& connection : all_) {
    if (now < connection->deadline) continue;
    connection->timed_out = true;
    if (connection->state == Connection::State::kReading) {
      connection->socket.cancel(ignored);
    } else {
      connection->socket.close(ignored);
    }
  }
}

void Connections::end_idle() {
  error_code ignored;
  for (const auto& connection : all_) {
    if (connection->state == Connection::State::kIdle) connection->socket.cancel(ignored);
    if (connection->state == Connection::State::kFollowing) connection->wake.cancel();
  }
}

void Connections::close_all() {
  error_code ignored;
  for (const auto& connection : all_) {
    connection->gone = true;
    connection->stop.request_stop();
    connection->socket.close(ignored);
    connection->wake.cancel();
  }
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace manyply
