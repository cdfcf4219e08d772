#include "core/base/files.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace manyply {
namespace {

namespace fs = std::filesystem;

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
  constexpr std::uint64_t kFar = std::uint64_t{5} << 30;  // beyond 32 bits; a hole
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

/// Writes "abcdef" with a system that returns these results, one after another. A negative result
/// sets errno to its absolute value. Returns the first byte of each piece that was offered.
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
