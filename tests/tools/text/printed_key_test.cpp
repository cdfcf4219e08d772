#include <gmock/gmock.h>

#include "tools/diagnose/keys/printed_keys.h"

namespace manyply {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The keys of four positions; the last position equals the first.
constexpr std::uint64_t kKeys[] = {0x8f8f01d4562f59fb, 0x0123456789abcdef, 0xfedcba9876543210,
                                   0x1122334455667788, 0x8f8f01d4562f59fb};

using PrintKey = std::string (*)(std::uint64_t);

std::vector<ShownPosition> printed_by(PrintKey print, const std::string& before = "",
                                      bool last_differs = false) {
  std::vector<ShownPosition> answers;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t key = kKeys[i] ^ (last_differs && i == 4 ? 1U : 0U);
    answers.push_back({i % 4, {" +---+---+", " | r | n | 8", before, print(key), "Checkers: e4"}});
  }
  return answers;
}

std::string hex_key(std::uint64_t key) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llX", static_cast<unsigned long long>(key));
  return text;
}

/// Returns the keys that were read; only their low halves.
std::vector<std::uint64_t> read_all(const std::vector<ShownPosition>& answers,
                                    std::string_view label = "") {
  const auto reading = chosen_reading(answers, label);
  EXPECT_TRUE(reading.ok()) << reading.error().to_string();
  std::vector<std::uint64_t> keys;
  for (const ShownPosition& answer : answers) keys.push_back(reading->read(answer.lines)->low);
  return keys;
}

TEST(PrintedKey, IsReadHoweverItIsWritten) {
  const std::vector<PrintKey> prints{
      [](std::uint64_t key) { return "Key: " + hex_key(key); },
      [](std::uint64_t key) { return "Zobrist: 0x" + hex_key(key) + "ULL"; },
      [](std::uint64_t key) { return "hash = " + std::to_string(key); },
      [](std::uint64_t key) {
        return "hash key: " + std::to_string(static_cast<std::int64_t>(key));
      },
      [](std::uint64_t key) { return "info string hash " + std::to_string(key) + "n"; },
      [](std::uint64_t key) { return hex_key(key); },
      [](std::uint64_t key) { return hex_key(key) + " is the key"; },
      [](std::uint64_t key) { return "fen 8/8 w - - 0 1 key " + hex_key(key); },
      [](std::uint64_t key) { return "{\"hash\": \"" + hex_key(key) + "\"}"; },
      [](std::uint64_t key) {
        return "Key: " + hex_key(key).substr(0, 8) + "_" + hex_key(key).substr(8);
      }};
  for (std::size_t i = 0; i < prints.size(); ++i) {
    EXPECT_THAT(read_all(printed_by(prints[i])),
                ElementsAre(kKeys[0], kKeys[1], kKeys[2], kKeys[3], kKeys[4]))
        << "the way " << i;
  }
}

TEST(PrintedKey, TellsHowWideKeysAre) {
  const auto bits = [](PrintKey print) { return chosen_reading(printed_by(print), "")->bits; };
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key); }), 64);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key).substr(8); }), 32);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key).substr(4); }), 48);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key) + hex_key(~key); }), 128);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + std::to_string(key); }), 64);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + std::to_string(key >> 32); }), 32);
  EXPECT_EQ(bits([](std::uint64_t key) {
              return "key " + std::to_string(static_cast<std::int32_t>(key));
            }),
            32);
}

TEST(PrintedKey, OneHundredAndTwentyEightBitsAreReadWhole) {
  const auto answers =
      printed_by([](std::uint64_t key) { return "key " + hex_key(key) + hex_key(~key); });
  EXPECT_EQ(chosen_reading(answers, "")->read(answers[0].lines), (ZobristKey{~kKeys[0], kKeys[0]}));
}

TEST(PrintedKey, OtherNumbersAreNone) {
  // Numbers that are equal for all positions, or small, or different when a position returns.
  EXPECT_THAT(readings_of(printed_by([](std::uint64_t) { return std::string("Hash: 16777216"); })),
              IsEmpty());
  EXPECT_THAT(readings_of(printed_by(
                  [](std::uint64_t key) { return "nodes " + std::to_string(key % 1000); })),
              IsEmpty());
  EXPECT_THAT(
      readings_of(printed_by([](std::uint64_t key) { return "key " + hex_key(key); }, "", true)),
      IsEmpty());
  EXPECT_THAT(
      readings_of(printed_by([](std::uint64_t) { return std::string("added face to bad cafe"); })),
      IsEmpty());
  const auto none =
      chosen_reading(printed_by([](std::uint64_t) { return std::string("nothing"); }), "");
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
}

// Such keys may be the error that the user looks for.
TEST(PrintedKey, SmallNumbersMayBeKeysIfTheyAreCalledSo) {
  EXPECT_EQ(
      read_all(printed_by([](std::uint64_t key) { return "key " + hex_key(key & 0x7fff); }))[0],
      kKeys[0] & 0x7fff);
}

TEST(PrintedKey, OfSeveralNumbersOneIsChosen) {
  const PrintKey two = [](std::uint64_t key) {
    return "Key: " + hex_key(key) + " Pawn key: " + hex_key(key * 3);
  };
  const auto unclear = chosen_reading(printed_by(two), "");
  EXPECT_EQ(unclear.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(unclear.error().message, HasSubstr("'key', 'pawn key'; choose one with --label"));
  EXPECT_EQ(read_all(printed_by(two), "PAWN")[0], kKeys[0] * 3);
  EXPECT_THAT(chosen_reading(printed_by(two), "material").error().message,
              HasSubstr("the labels are"));
  // The number that is called a key is preferred, and a repeated number counts once.
  EXPECT_EQ(read_all(printed_by([](std::uint64_t key) {
              return "seed " + hex_key(key * 5) + " key " + hex_key(key) +
                     " again: " + std::to_string(key);
            }))[0],
            kKeys[0]);
}

}  // namespace
}  // namespace manyply
