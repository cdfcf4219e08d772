// Reads lines of an input that another program may still be writing.

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

#include "tests/support/pipe.h"
#include "tools/cli/framework/io.h"

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

}  // namespace
}  // namespace manyply
