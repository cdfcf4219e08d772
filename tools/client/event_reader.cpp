#include "tools/client/event_reader.h"

#include <charconv>

namespace manyply {

void EventReader::feed(std::string_view bytes,
                       const std::function<void(const ServerEvent&)>& on_event) {
  for (const char c : bytes) {
    const bool belongs = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (belongs) continue;
    if (c == '\r' || c == '\n') {
      take_line(on_event);
    } else if (line_.size() < kMaxBytes) {
      line_ += c;
    } else {
      too_long_ = true;
    }
  }
}

void EventReader::take_line(const std::function<void(const ServerEvent&)>& on_event) {
  std::string line;
  line.swap(line_);
  if (line.empty()) {
    last_id_ = id_;
    if (has_data_ && !too_long_) {
      event_.data.pop_back();  // the end of the last line
      on_event(event_);
    }
    event_ = {};
    has_data_ = too_long_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = std::string_view(line).substr(0, colon);
  std::string_view value;
  if (colon != std::string::npos) {
    value = std::string_view(line).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
  }
  if (field == "event") {
    event_.name = value;
  } else if (field == "data") {
    has_data_ = true;
    if (event_.data.size() + value.size() < kMaxBytes) {
      event_.data.append(value).append("\n");
    } else {
      too_long_ = true;
    }
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  } else if (field == "retry" && value.find_first_not_of("0123456789") == std::string::npos) {
    long milliseconds = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (error == std::errc() && end == value.data() + value.size())
      retry_ = std::chrono::milliseconds(milliseconds);
  }
}

void EventReader::reset() {
  line_.clear();
  event_ = {};
  id_ = last_id_;
  after_return_ = has_data_ = too_long_ = false;
}

}  // namespace manyply
