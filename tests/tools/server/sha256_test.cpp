// Compares digests with published values: the examples of FIPS 180-4 (NIST), and digests by
// sha256sum for lengths at which the padding changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tools/server/jobs/job_types.h"

namespace manyply {
namespace {

std::string hexadecimal(std::string_view text) {
  std::string all;
  for (const std::uint8_t byte : sha256(text)) all += fmt::format("{:02x}", byte);
  return all;
}

TEST(Sha256, MatchesPublishedValues) {
  EXPECT_EQ(hexadecimal(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsAtEveryLength) {
  EXPECT_EQ(hexadecimal(std::string(54, 'a')),
            "a3f01b6939256127582ac8ae9fb47a382a244680806a3f613a118851c1ca1d47");
  EXPECT_EQ(hexadecimal(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hexadecimal(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(hexadecimal(std::string(63, 'a')),
            "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  EXPECT_EQ(hexadecimal(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(hexadecimal(std::string(65, 'a')),
            "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
  EXPECT_EQ(hexadecimal(std::string(119, 'a')),
            "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
  EXPECT_EQ(hexadecimal(std::string(120, 'a')),
            "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
  EXPECT_EQ(hexadecimal(std::string(128, 'a')),
            "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

}  // namespace
}  // namespace manyply
