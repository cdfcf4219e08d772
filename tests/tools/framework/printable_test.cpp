#include <gtest/gtest.h>

#include "tools/cli/framework/io.h"

namespace manyply {
namespace {

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

}  // namespace
}  // namespace manyply
