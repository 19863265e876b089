#include "tc/frontend/api/files/utf.h"

#include <gtest/gtest.h>

namespace tc {
namespace {

TEST(Utf, EveryCodePointRoundTrips) {
  for (uint32_t c = 0; c <= 0x10ffff; ++c) {
    std::string bytes;
    const bool surrogate = c >= 0xd800 && c <= 0xdfff;
    ASSERT_EQ(append_utf8(bytes, c), !surrogate) << c;
    if (surrogate) continue;
    ASSERT_EQ(decode_utf8(bytes), std::u32string(1, static_cast<char32_t>(c))) << c;
  }
  std::string none;
  EXPECT_FALSE(append_utf8(none, 0x110000));
}

TEST(Utf, KnownEncodings) {
  EXPECT_EQ(decode_utf8("aé字😀"), U"aé字😀");
  std::string bytes;
  for (const char32_t c : std::u32string(U"aé字😀")) EXPECT_TRUE(append_utf8(bytes, c));
  EXPECT_EQ(bytes, "aé字😀");
}

TEST(Utf, InvalidSequences) {
  for (const char* bytes : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3(", "a\xff"})
    EXPECT_EQ(decode_utf8(bytes), std::nullopt) << bytes;
}

}  // namespace
}  // namespace tc
