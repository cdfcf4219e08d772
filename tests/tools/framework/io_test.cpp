// Tests standard streams, lines of an input that another program may still be writing, and
// printable text.
#include "tools/cli/framework/io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <thread>

#include "tests/support/system.h"

namespace manyply {
namespace {

class LineReaderOfPipe : public ::testing::Test {
 protected:
  void write(std::string_view text) {
    ASSERT_EQ(::write(ends_[1], text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
  }
  void close_writing() {
    ::close(ends_[1]);
    ends_[1] = -1;
  }
  void TearDown() override {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }

 private:
  std::array<int, 2> ends_ = open_pipe();

 protected:
  LineReader reader_{ends_[0], {}};
};

TEST_F(LineReaderOfPipe, WhoDoesOtherThingsMeanwhileIsToldWholeLinesAlone) {
  EXPECT_EQ(reader_.line_there(false), std::nullopt) << "nothing has been read";
  write("one\r\ntwo\nthr");
  EXPECT_EQ(reader_.line_there(false), std::nullopt) << "nobody has looked";
  EXPECT_EQ(reader_.line_there(true), "one");
  EXPECT_EQ(reader_.line_there(false), "two");
  EXPECT_EQ(reader_.line_there(false), std::nullopt);
  write("ee\nfour");
  EXPECT_EQ(reader_.line_there(true), "three");
  EXPECT_EQ(reader_.line_there(false), std::nullopt);
  close_writing();
  EXPECT_EQ(reader_.line_there(true), std::nullopt) << "what has no end is the next one's";
  EXPECT_EQ(reader_.next().value(), "four");
  EXPECT_EQ(reader_.next().value(), std::nullopt);
}

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "plain text", "Stände.epd", "χ ≤ ♜", "𝄞", "~", "\\x1B"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesOutWhatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1B[31mb");
  EXPECT_EQ(printable("a\tb\r\nc"), "a b  c");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7F");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\xC2\\x9B2J");
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

TEST(Printable, WritesOutWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x9B"), "\\x9B");
  EXPECT_EQ(printable("\xC3"), "\\xC3");
  EXPECT_EQ(printable("\xC3("), "\\xC3(");
  EXPECT_EQ(printable("\xE2\x89"), "\\xE2\\x89");
  EXPECT_EQ(printable("\xC1\x9B\xFF"), "\\xC1\\x9B\\xFF");
}

class Streams : public ::testing::Test {
 protected:
  ~Streams() override {
    close_reader();
    close_writer();
  }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }
  void write(std::string_view text) {
    const auto size = static_cast<unsigned>(text.size());
    ASSERT_EQ(::write(ends_[1], text.data(), size), static_cast<ssize_t>(size));
  }

  std::array<int, 2> ends_ = open_pipe();
  std::stop_source stop_;

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
};

TEST_F(Streams, LinesComeWithoutTheirEnds) {
  write("one\r\n\ntwo\nlast");
  close_writer();
  LineReader reader(ends_[0], stop_.get_token());
  EXPECT_EQ(reader.next().value(), "one");
  EXPECT_EQ(reader.next().value(), "");
  EXPECT_EQ(reader.next().value(), "two");
  EXPECT_EQ(reader.next().value(), "last");
  EXPECT_EQ(reader.next().value(), std::nullopt);
  EXPECT_EQ(reader.next().value(), std::nullopt);
}

TEST_F(Streams, LinesLongerThanABufferSurvive) {
  const std::string line(60'000, 'x');
  write(line + "\n" + "y\n");
  LineReader reader(ends_[0], stop_.get_token());
  EXPECT_EQ(reader.next().value(), line);
  EXPECT_EQ(reader.next().value(), "y");
}

TEST_F(Streams, AStopRequestEndsTheWait) {
  LineReader reader(ends_[0], stop_.get_token());
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop_.request_stop();
  });
  EXPECT_EQ(reader.next().error().code, ErrorCode::kCancelled);
}

TEST_F(Streams, AnUnreadableDescriptorIsAnError) {
  LineReader reader(ends_[1], stop_.get_token());  // the writing end
  close_reader();
  EXPECT_EQ(reader.next().error().code, ErrorCode::kUnavailable);
}

TEST_F(Streams, OutputArrivesWhenFlushed) {
  FdStream stream(ends_[1]);
  stream << "a " << 1 << std::flush;
  LineReader reader(ends_[0], stop_.get_token());
  stream << "\nb\n" << std::flush;
  EXPECT_EQ(reader.next().value(), "a 1");
  EXPECT_EQ(reader.next().value(), "b");
  EXPECT_EQ(stream.error(), 0);
}

TEST_F(Streams, AFailedWriteIsRemembered) {
  FdStream stream(ends_[1]);
  close_reader();
  stream << "nobody reads this" << std::flush;
  EXPECT_FALSE(stream);
  EXPECT_EQ(stream.error(), EPIPE);
}

}  // namespace
}  // namespace manyply
