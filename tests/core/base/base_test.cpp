// Tests errors and results, views of stops, counts of nodes, quoted text, memory, and files.
#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/base/stop_view.h"
#include "core/base/text.h"
#include "tests/support/budget.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const Error kNoRook{ErrorCode::kIllegal, "castling", 24, "no rook on h1"};

TEST(Error, IsOneLineWithFieldAndColumn) {
  EXPECT_EQ(kNoRook.to_string(), "castling: no rook on h1 (column 24)");
  EXPECT_EQ((Error{ErrorCode::kInvalidInput, "depth", 0, "missing"}).to_string(), "depth: missing");
  EXPECT_EQ((Error{ErrorCode::kCancelled, "", 0, "cancelled"}).to_string(), "cancelled");
}

TEST(Result, HoldsAValue) {
  const Result<std::string> result = std::string("e4");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, "e4");
  EXPECT_EQ(result->size(), 2U);
  EXPECT_THROW(static_cast<void>(result.error()), BugError);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = kNoRook;
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().code, ErrorCode::kIllegal);
  EXPECT_EQ(result.error().field, "castling");
  EXPECT_THROW(static_cast<void>(result.value()), BugError);
  EXPECT_THROW(static_cast<void>(*result), BugError);
}

TEST(Result, GivesItsValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(20);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 20);
  EXPECT_THROW(static_cast<void>(Result<int>(kNoRook).value()), BugError);
}

TEST(Result, LeavesNoDeadTemporaryBehind) {
  const auto moves = [] { return Result<std::string>(std::string(100, 'e')); };
  std::size_t length = 0;
  for (const char c : *moves()) length += c == 'e' ? 1 : 0;
  const std::string& text = moves().value();
  EXPECT_EQ(length, 100U);
  EXPECT_EQ(text.size(), 100U);
}

TEST(Result, OfAnErrorTypeStaysUnambiguous) {
  const Result<std::string> failed = kNoRook;
  const Result<std::string> fine("castling");
  EXPECT_FALSE(failed.ok());
  EXPECT_TRUE(fine.ok());
}

TEST(StopView, OfNobodyNeverStops) { EXPECT_FALSE(StopView().stop_requested()); }

TEST(StopView, CopiesSeeWhatIsViewed) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopView view = token;
  StopView copy;
  copy = view;
  EXPECT_FALSE(view.stop_requested());
  source.request_stop();
  EXPECT_TRUE(view.stop_requested());
  EXPECT_TRUE(copy.stop_requested());
}

TEST(StopView, ViewsWhateverAnswers) {
  const CountedLooks source(4);
  const StopView view = source;
  for (int look = 1; look <= 3; ++look) EXPECT_FALSE(view.stop_requested()) << look;
  EXPECT_TRUE(view.stop_requested());
  EXPECT_EQ(source.looks(), 4U) << "the view's are the source's";
}

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr NodeCount kMax128 = NodeCount::from_words(kMax64, kMax64);
const std::string kMax128Text = "340282366920938463463374607431768211455";

NodeCount number(const std::string& text) { return NodeCount::parse(text).value(); }

TEST(NodeCount, ReadsAndWritesDecimals) {
  for (const char* text :
       {"0", "1", "20", "4865609", "18446744073709551615", "18446744073709551616",
        "61885021521585529237", "2015099950053364471960"}) {
    EXPECT_EQ(number(text).to_string(), text);
  }
  EXPECT_EQ(number(kMax128Text), kMax128);
  EXPECT_EQ(kMax128.to_string(), kMax128Text);
  EXPECT_EQ(number("00020"), NodeCount(20));
}

TEST(NodeCount, SurvivesTheRoundTrip) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const NodeCount count = NodeCount::from_words(random() >> (i % 64), random());
    EXPECT_EQ(number(count.to_string()), count);
  }
}

TEST(NodeCount, RefusesEverythingElse) {
  for (const char* text : {"", " ", "-1", "+1", "1 ", " 1", "1.0", "1e9", "1_000", "1,000", "x"}) {
    const auto count = NodeCount::parse(text);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_EQ(count.error().field, "count");
    EXPECT_THAT(count.error().message, HasSubstr("is not a whole number")) << text;
  }
  for (const std::string& text : {std::string("340282366920938463463374607431768211456"),
                                  kMax128Text + "0", std::string(500, '9')}) {
    const auto count = NodeCount::parse(text);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_THAT(count.error().message, HasSubstr("exceeds 128 bits"));
  }
}

TEST(NodeCount, KeepsSumsBeyond64Bits) {
  const NodeCount sum = NodeCount(kMax64) + NodeCount(1);
  EXPECT_EQ(sum, NodeCount::from_words(1, 0));
  EXPECT_FALSE(sum.fits_64_bits());
  EXPECT_TRUE(NodeCount(kMax64).fits_64_bits());
  EXPECT_EQ(sum.high(), 1U);
  EXPECT_EQ(sum.low(), 0U);
  EXPECT_EQ((NodeCount(kMax64) * NodeCount(kMax64)).to_string(),
            "340282366920938463426481119284349108225");
  EXPECT_GT(sum, NodeCount(kMax64));
  EXPECT_DOUBLE_EQ(sum.approximate(), 18446744073709551616.0);
}

TEST(NodeCount, ThrowsInsteadOfWrapping) {
  EXPECT_EQ(kMax128 + NodeCount(0), kMax128);
  EXPECT_THROW(kMax128 + NodeCount(1), CountOverflow);
  EXPECT_THROW(NodeCount::from_words(std::uint64_t{1} << 63, 0) +
                   NodeCount::from_words(std::uint64_t{1} << 63, 0),
               CountOverflow);
  EXPECT_EQ(kMax128 * NodeCount(1), kMax128);
  EXPECT_EQ(kMax128 * NodeCount(0), NodeCount(0));
  EXPECT_THROW(kMax128 * NodeCount(2), CountOverflow);
  EXPECT_THROW(NodeCount::from_words(1, 0) * NodeCount::from_words(1, 0), CountOverflow);
}

TEST(Quote, KeepsWhatPrints) {
  EXPECT_EQ(quote("e2e4"), "'e2e4'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("two words ~"), "'two words ~'");
  EXPECT_EQ(quote('K'), "'K'");
}

TEST(Quote, ShowsCharactersAsCharacters) {
  EXPECT_EQ(quote("♔ Ｋ К é 𝄞"), "'♔ Ｋ К é 𝄞'");
  EXPECT_EQ(quote("e4\u200Be5"), "'e4U+200Be5'");
  EXPECT_EQ(quote("\uFEFF\u00A0\u202E\u3000\u0085"), "'U+FEFFU+00A0U+202EU+3000U+0085'");
  EXPECT_EQ(quote("\xE2\x99"), "'\\xE2\\x99'") << "half a character";
  std::string kings;
  for (int i = 0; i < 40; ++i) kings += "♔";
  EXPECT_EQ(quote(kings), "'" + kings + "'");
  EXPECT_EQ(quote(kings + "x"), "'" + kings + "...'");
}

TEST(Quote, NamesOneCharacter) {
  EXPECT_EQ(quote_character("Kq"), "'K'");
  EXPECT_EQ(quote_character("Кq"), "'К' (U+041A)") << "Cyrillic";
  EXPECT_EQ(quote_character("♔"), "'♔' (U+2654)");
  EXPECT_EQ(quote_character("\u200B8"), "U+200B");
  EXPECT_EQ(quote_character("\xFF"), "'\\xFF'");
  EXPECT_EQ(quote_character("\n"), "'\\x0A'");
}

TEST(Utf8, TellsWhereCharactersEnd) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("é!"), 2U);
  EXPECT_EQ(utf8_length("♔!"), 3U);
  EXPECT_EQ(first_character("𝄞!").code, 0x1D11EU);
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x99", "\xC3("})
    EXPECT_EQ(utf8_length(bad), 0U);
}

TEST(Quote, MakesOneShortLineOfAnything) {
  EXPECT_EQ(quote("a\nb"), "'a\\x0Ab'");
  EXPECT_EQ(quote(std::string_view("\0\x7F\xFF", 3)), "'\\x00\\x7F\\xFF'");
  EXPECT_EQ(quote(std::string(40, 'e')), "'" + std::string(40, 'e') + "'");
  EXPECT_LT(quote(std::string(1'000, '\n')).size(), 50U);
  EXPECT_EQ(quote(std::string(1'000'000, 'e')), "'" + std::string(40, 'e') + "...'");
}

TEST(Memory, ThisMachineHasSome) { EXPECT_GT(available_memory_bytes(), 64 * kMiB); }

TEST(Memory, MoreThanThereIsIsRefusedBeforeItIsTouched) {
  const std::uint64_t available = available_memory_bytes();
  for (const std::uint64_t bytes :
       {available + available / 4, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const auto refused = TableMemory::allocate(bytes);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(refused.error().field, "hash");
    EXPECT_THAT(refused.error().message, HasSubstr(format_bytes(bytes) + " requested, but"));
  }
}

TEST(Memory, IsZeroAndStaysSoWhenTouched) {
  for (const std::uint64_t bytes : {std::uint64_t{64}, 5 * kMiB + 64}) {
    const TableMemory memory = TableMemory::allocate(bytes).value();
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
    std::atomic<std::uint64_t> touched = 0;
    {
      std::vector<std::jthread> threads;
      for (int part = 0; part < 3; ++part) {
        threads.emplace_back([&, part] { memory.touch(part, 3, {}, &touched); });
      }
    }
    EXPECT_EQ(touched, bytes);
    const std::span words(static_cast<const std::uint64_t*>(memory.data()), bytes / 8);
    EXPECT_EQ(std::ranges::count(words, 0U), static_cast<std::ptrdiff_t>(words.size()));
  }
}

TEST(Memory, SizesForPeople) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(kMiB), "1 MiB");
  EXPECT_EQ(format_bytes(kGiB + kGiB / 2), "1.5 GiB");
  EXPECT_EQ(format_bytes(std::uint64_t{1} << 50), "1024 TiB");
}

/// Makes a folder whose name has a blank and non-ASCII letters. Removes it if it is empty.
class Files : public ::testing::Test {
 protected:
  Files() { fs::create_directory(folder_); }
  ~Files() override { EXPECT_TRUE(fs::remove(folder_)) << "not empty"; }

  [[nodiscard]] std::string path(const char8_t* name) const {
    const std::u8string whole = (folder_ / name).generic_u8string();
    return {whole.begin(), whole.end()};
  }
  static void write(int file, std::string_view text) {
    EXPECT_TRUE(files::write_at(file, 0, std::as_bytes(std::span(text))));
  }
  static std::string text_of(int file) {
    std::string text(files::bytes(file).value(), '\0');
    EXPECT_EQ(files::read_at(file, 0, std::as_writable_bytes(std::span(text))), text.size());
    return text;
  }
  std::string text_of(const std::string& name) {
    const int file = files::open_to_read(name);
    EXPECT_GE(file, 0);
    std::string text = text_of(file);
    files::close(file);
    return text;
  }

  fs::path folder_ =
      fs::temp_directory_path() /
      (u8"perft \u0105\u00f6 " + fs::path(std::to_string(std::random_device()())).u8string());
};

TEST_F(Files, KeepWhatIsWrittenWhereItIsWritten) {
  const std::string name = path(u8"\u265e b.bin");
  EXPECT_EQ(files::kind(name), files::Kind::kNothing);
  int file = files::open_to_keep(name);
  ASSERT_GE(file, 0);
  EXPECT_EQ(files::kind(name), files::Kind::kRegular);
  EXPECT_EQ(files::kind(file), files::Kind::kRegular);
  constexpr std::string_view kBytes("one\r\ntwo\n\x1a\0end", 15);
  write(file, kBytes);
  EXPECT_EQ(text_of(file), kBytes);
  EXPECT_TRUE(files::sync(file));
  EXPECT_TRUE(files::cut(file, 5));
  constexpr std::uint64_t kFar = std::uint64_t{5} << 30;  // beyond 32 bits; leaves a hole
  EXPECT_TRUE(files::write_at(file, kFar, std::as_bytes(std::span("x", 1))));
  EXPECT_EQ(files::bytes(file), kFar + 1);
  EXPECT_TRUE(files::cut(file, 4));
  files::close(file);
  file = files::open_to_keep(name);
  EXPECT_EQ(text_of(file), "one\r");
  files::close(file);
  file = files::open_to_replace(name);
  EXPECT_EQ(files::bytes(file), 0U);
  files::close(file);
  files::remove(name);
  EXPECT_EQ(files::kind(name), files::Kind::kNothing);
}

TEST_F(Files, ReadNoMoreThanThereIs) {
  const std::string name = path(u8"short");
  const int file = files::open_to_keep(name);
  write(file, "abc");
  std::string text(10, '-');
  EXPECT_EQ(files::read_at(file, 1, std::as_writable_bytes(std::span(text))), 2U);
  EXPECT_EQ(text, "bc--------");
  EXPECT_EQ(files::read_at(file, 100, std::as_writable_bytes(std::span(text))), 0U);
  files::close(file);
  files::remove(name);
}

TEST_F(Files, AreLockedByOne) {
  const std::string name = path(u8"locked");
  const int first = files::open_to_keep(name);
  EXPECT_TRUE(files::lock(first));
  write(first, "mine");
  const int second = files::open_to_keep(name);
  EXPECT_FALSE(files::lock(second));
  EXPECT_EQ(text_of(second), "mine");  // a process without the lock may read
  files::close(first);
  EXPECT_TRUE(files::lock(second));
  files::close(second);
  files::remove(name);
}

TEST_F(Files, ReplaceOthersAtOnce) {
  const std::string from = path(u8"new");
  const std::string to = path(u8"old");
  for (const auto& [name, text] : {std::pair{from, "new"}, {to, "old"}}) {
    const int file = files::open_to_replace(name);
    write(file, text);
    files::close(file);
  }
  EXPECT_TRUE(files::replace(from, to));
  EXPECT_EQ(files::kind(from), files::Kind::kNothing);
  EXPECT_EQ(text_of(to), "new");
  EXPECT_FALSE(files::replace(from, to));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(text_of(to), "new");
  files::remove(to);
}

TEST_F(Files, SayWhyTheyCannotBeOpened) {
  EXPECT_LT(files::open_to_read(path(u8"none")), 0);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(files::open_to_keep(path(u8"none/none")), 0);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(files::open_to_keep(path(u8"")), 0);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(files::kind(path(u8"")), files::Kind::kOther);
}

/// Writes "abcdef" by calls that return `results`, one after another. A negative result sets errno
/// to its absolute value. Returns the first byte that each call was asked to write.
std::string offered_to(const std::vector<int>& results, bool expected) {
  std::string offered;
  const auto write_some = [&](std::span<const std::byte> left) -> std::ptrdiff_t {
    offered += static_cast<char>(left[0]);
    const int result = results.at(offered.size() - 1);
    if (result < 0) errno = -result;
    return result < 0 ? -1 : result;
  };
  EXPECT_EQ(files::write_all(std::as_bytes(std::span("abcdef", 6)), write_some), expected);
  return offered;
}

TEST(WriteAll, OffersTheRestUntilNothingIsLeft) {
  EXPECT_EQ(offered_to({6}, true), "a");
  EXPECT_EQ(offered_to({2, 1, 3}, true), "acd");
  EXPECT_EQ(offered_to({2, -EINTR, 4}, true), "acc");
}

TEST(WriteAll, FailsIfNothingIsWritten) {
  EXPECT_EQ(offered_to({2, -ENOSPC}, false), "ac");
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(offered_to({2, 0}, false), "ac");
  EXPECT_EQ(errno, EIO);
}

}  // namespace
}  // namespace manyply
