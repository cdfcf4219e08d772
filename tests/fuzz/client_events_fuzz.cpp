// The first byte says where to cut the other bytes, which are a stream of events. Wherever the
// stream is cut, the reader must return the same events, and they must equal those of a simple
// reader of lines.

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/fuzz/expect.h"
#include "tools/client/http_client.h"

using namespace manyply;

namespace {

struct Reading {
  std::vector<std::string> events;  ///< name, line end, data
  std::string last_id;
  std::optional<std::chrono::milliseconds> retry;
  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading read(std::string_view text, std::size_t step) {
  EventReader reader;
  Reading reading;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, step);
    text.remove_prefix(piece.size());
    reader.feed(piece, [&](const ServerEvent& event) {
      reading.events.push_back(event.name + '\n' + event.data);
    });
  }
  reading.last_id = reader.last_id();
  reading.retry = reader.retry();
  return reading;
}

std::vector<std::string> complete_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos) return lines;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

/// Reads a stream field by field, as the WHATWG's standard describes it (HTML, 9.2.6).
Reading expected(std::string_view text) {
  Reading reading;
  std::string name;
  std::string data;
  std::string id;
  for (const std::string& line : complete_lines(text)) {
    if (line.empty()) {
      reading.last_id = id;
      if (!data.empty()) {
        data.pop_back();
        reading.events.push_back(name + '\n' + data);
      }
      name.clear();
      data.clear();
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string field = line.substr(0, colon);
    std::string value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.erase(0, 1);
    const bool digits = !value.empty() && value.size() < 18 &&
                        value.find_first_not_of("0123456789") == std::string::npos;
    if (field == "event") name = value;
    if (field == "data") data += value + '\n';
    if (field == "id" && value.find('\0') == std::string::npos) id = value;
    if (field == "retry" && digits) reading.retry = std::chrono::milliseconds(std::stol(value));
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Reading whole = read(text, std::string_view::npos);
  expect(read(text, 1) == whole, "bytes make the same events");
  expect(read(text, 1 + data[0] % 64) == whole, "and so do pieces");
  const Reading lines = expected(text);
  expect(lines.events == whole.events, "the events are those of the standard");
  expect(lines.last_id == whole.last_id, "with their id", whole.last_id);
  // The two readers may differ only for very long numbers.
  expect(lines.retry == whole.retry || text.size() > 18, "and the pause");
  return 0;
}
