#include "tools/text/printed_key.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/text.h"

namespace manyply {
namespace {

constexpr std::size_t kMostDigits = 40;  // 2^128 in decimal has 39 digits
constexpr std::size_t kMostWords = 4;    // maximum length of a label
/// Numbers that are below this limit in every position are usually counts, scores or clocks. They
/// are read as keys only if their label contains a word for keys.
constexpr ZobristKey kLeastWide{1U << 20, 0};

bool is_hex(char c) { return hex_digit(c) >= 0; }

/// Returns the number in `run`; nullopt if `run` is no number. `run` consists of letters, digits
/// and underscores.
std::optional<PrintedKeyNumber> number_of(std::string_view run) {
  PrintedKeyNumber number;
  if (run.size() > 2 && run[0] == '0' && to_lower(run[1]) == 'x') {
    number.marked_hex = true;
    run.remove_prefix(2);
  } else if (!is_hex(run[0])) {
    return std::nullopt;
  }
  // Suffixes of number literals: ULL, n, h.
  while (!run.empty() && !is_hex(run.back())) {
    if (std::string_view("ulnh").find(to_lower(run.back())) == std::string_view::npos)
      return std::nullopt;
    number.marked_hex |= to_lower(run.back()) == 'h';
    run.remove_suffix(1);
  }
  for (const char c : run) {
    if (c == '_') continue;
    if (!is_hex(c)) return std::nullopt;
    number.digits += to_lower(c);
  }
  const bool digit = std::ranges::any_of(number.digits, is_digit);
  // Words such as "added", "beef" and "bad" look like hexadecimal numbers.
  if (!number.marked_hex && !digit && number.digits.size() < 8) return std::nullopt;
  if (number.digits.empty() || number.digits.size() > kMostDigits) return std::nullopt;
  return number;
}

struct Run {
  std::string_view text;
  char before;  ///< the character before it, or a space
};

std::vector<Run> runs_of(std::string_view line) {
  std::vector<Run> runs;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && (is_letter(line[end]) || is_digit(line[end]) || line[end] == '_'))
      ++end;
    if (end > at) runs.push_back({line.substr(at, end - at), at > 0 ? line[at - 1] : ' '});
    at = std::max(end, at + 1);
  }
  return runs;
}

std::string label_of(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string label;
  for (std::size_t i = to - std::min(to - from, kMostWords); i < to; ++i)
    label += (label.empty() ? "" : " ") + words[i];
  return label;
}

/// Parses `digits` in `base`. Returns nullopt if the base does not have one of the digits, or if
/// the value exceeds 2^128 - 1.
std::optional<ZobristKey> parse_digits(std::string_view digits, unsigned base) {
  __extension__ using Wide = unsigned __int128;
  Wide value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(hex_digit(c));
    if (digit >= base) return std::nullopt;
    const Wide next = value * base + digit;
    if ((next - digit) / base != value) return std::nullopt;
    value = next;
  }
  return ZobristKey{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
}

/// Returns -`key` as a two's complement of `bits` bits.
ZobristKey negated(ZobristKey key, int bits) {
  ZobristKey result{~key.low + 1, ~key.high + (key.low == 0 ? 1U : 0U)};
  if (bits <= 64) result.high = 0;
  if (bits < 64) result.low &= (std::uint64_t{1} << bits) - 1;
  return result;
}

using Place = std::pair<std::string, std::size_t>;  // label, ordinal

std::map<Place, PrintedKeyNumber> places_of(std::span<const std::string> lines) {
  std::map<Place, PrintedKeyNumber> places;
  std::map<std::string, std::size_t> seen;
  for (const std::string& line : lines) {
    for (PrintedKeyNumber& number : key_numbers_of(line)) {
      std::string label = number.label;
      const std::size_t ordinal = seen[label]++;
      places.emplace(Place{std::move(label), ordinal}, std::move(number));
    }
  }
  return places;
}

int bits_of(std::span<const PrintedKeyNumber> numbers, const KeyReading& reading) {
  std::size_t longest = 0;
  std::size_t shortest = kMostDigits;
  bool negative = false;
  ZobristKey most;
  for (const PrintedKeyNumber& number : numbers) {
    longest = std::max(longest, number.digits.size());
    shortest = std::min(shortest, number.digits.size());
    negative |= number.negative;
    const auto value = parse_digits(number.digits, reading.hex ? 16 : 10);
    if (value && std::pair(value->high, value->low) > std::pair(most.high, most.low)) most = *value;
  }
  // If all numbers are equally long, they are probably padded with leading zeros. Then their length
  // shows the width.
  if (reading.hex && longest == shortest && longest >= 8 && longest <= 32)
    return static_cast<int>(4 * longest);
  if (most.high != 0) return 128;
  const std::uint64_t half = negative ? std::uint64_t{1} << 31 : std::uint64_t{1} << 32;
  return most.low < half ? 32 : 64;
}

bool called_key(const std::string& label) {
  return std::ranges::any_of(std::array{"key", "hash", "zobrist"}, [&](const char* word) {
    return label.find(word) != std::string::npos;
  });
}

std::string listed(const std::vector<KeyReading>& readings) {
  std::string text;
  for (const KeyReading& reading : readings) {
    const std::string& label = reading.label.empty() ? "(no label)" : reading.label;
    text += (text.empty() ? "" : ", ") + quote(label);
  }
  return text;
}

}  // namespace

std::vector<PrintedKeyNumber> key_numbers_of(std::string_view line) {
  std::vector<std::string> words;
  std::vector<PrintedKeyNumber> numbers;
  std::vector<std::size_t> places;  // for each number: the number of words before it
  for (const Run& run : runs_of(line)) {
    if (auto number = number_of(run.text)) {
      number->negative = run.before == '-' && !number->marked_hex;
      numbers.push_back(*std::move(number));
      places.push_back(words.size());
    } else {
      words.push_back(to_lower(run.text));
    }
  }
  places.push_back(words.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t place = places[i];
    numbers[i].label = place > 0 || i > 0
                           ? label_of(words, i > 0 ? places[i - 1] : 0, place)
                           : label_of(words, place, std::min(places[i + 1], place + kMostWords));
  }
  return numbers;
}

std::optional<ZobristKey> KeyReading::value(const PrintedKeyNumber& number) const {
  const auto value = parse_digits(number.digits, hex ? 16 : 10);
  if (!value) return std::nullopt;
  return number.negative ? negated(*value, bits) : *value;
}

std::optional<ZobristKey> KeyReading::read(std::span<const std::string> lines) const {
  std::size_t seen = 0;
  const std::string_view word = std::string_view(label).substr(label.rfind(' ') + 1);
  for (const std::string& line : lines) {
    // Most lines show the board; skip them.
    if (to_lower(line).find(word) == std::string::npos) continue;
    for (const PrintedKeyNumber& number : key_numbers_of(line)) {
      if (number.label == label && seen++ == ordinal) return value(number);
    }
  }
  return std::nullopt;
}

KeyReading how_written(std::span<const PrintedKeyNumber> numbers) {
  KeyReading reading;
  reading.hex = std::ranges::any_of(numbers, [](const PrintedKeyNumber& number) {
    return number.marked_hex || !std::ranges::all_of(number.digits, is_digit);
  });
  reading.bits = bits_of(numbers, reading);
  return reading;
}

std::vector<KeyReading> readings_of(std::span<const ShownPosition> answers) {
  std::map<Place, std::vector<PrintedKeyNumber>> common;
  for (const ShownPosition& answer : answers) {
    for (auto& [place, number] : places_of(answer.lines))
      common[place].push_back(std::move(number));
  }
  std::erase_if(common, [&](const auto& of) { return of.second.size() < answers.size(); });

  std::vector<KeyReading> readings;
  std::set<std::vector<ZobristKey>> seen;
  for (const bool called : {true, false}) {
    for (const auto& [place, numbers] : common) {
      if (called_key(place.first) != called) continue;
      KeyReading reading = how_written(numbers);
      reading.label = place.first;
      reading.ordinal = place.second;
      std::map<int, ZobristKey> by_position;
      std::set<ZobristKey> different;
      std::vector<ZobristKey> values;
      bool steady = true;
      bool wide = called;
      for (std::size_t i = 0; i < answers.size() && steady; ++i) {
        const auto value = reading.value(numbers[i]);
        steady = value && by_position.emplace(answers[i].position, *value).first->second == *value;
        if (!steady) break;
        wide |= *value >= kLeastWide || value->high != 0;
        different.insert(*value);
        values.push_back(*value);
      }
      // The program's keys may be wrong, so some positions may have equal keys. At least three
      // quarters of the positions must have different numbers.
      const bool changes = 4 * different.size() >= 3 * by_position.size() && different.size() > 1;
      if (steady && wide && changes && seen.insert(values).second) readings.push_back(reading);
    }
  }
  return readings;
}

Result<KeyReading> chosen_reading(std::span<const ShownPosition> answers, std::string_view label) {
  std::vector<KeyReading> readings = readings_of(answers);
  if (readings.empty()) {
    return Error{
        ErrorCode::kUnavailable, "engine", 0,
        "prints nothing that can be a key; a key differs between positions, but is the same "
        "each time a position is printed"};
  }
  const auto refuse = [](std::string message) {
    return Error{ErrorCode::kInvalidInput, "--label", 0, std::move(message)};
  };
  if (!label.empty()) {
    const std::string wanted = to_lower(label);
    const std::string all = listed(readings);
    std::erase_if(readings, [&](const KeyReading& reading) {
      return reading.label.find(wanted) == std::string::npos;
    });
    if (readings.empty())
      return refuse("prints no key with the label " + quote(label) + "; the labels are " + all);
  } else if (called_key(readings.front().label)) {
    std::erase_if(readings, [](const KeyReading& reading) { return !called_key(reading.label); });
  }
  if (readings.size() > 1)
    return refuse("prints several numbers that may be the key, with the labels " +
                  listed(readings) + "; choose one with --label");
  return readings.front();
}

}  // namespace manyply
