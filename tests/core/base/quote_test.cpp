#include <gtest/gtest.h>

#include <string>

#include "core/base/text.h"

namespace manyply {
namespace {

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

}  // namespace
}  // namespace manyply
