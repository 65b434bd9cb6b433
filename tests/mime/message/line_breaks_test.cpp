#include "mime/message/line_breaks.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::mime {
namespace {

TEST(LineBreaks, FindsEachBreakInTurn) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a\r\n\nb\r"[(i * i + i / 5) % 6];
  // All texts end differently: with and without a break, in the middle of CRLF.
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const std::string_view part = std::string_view(text).substr(0, size);
    LineBreaks breaks(part);
    for (std::size_t at = 0; at <= size; at += 1 + at % 3) {
      EXPECT_EQ(breaks.next(at), std::min(part.find_first_of("\r\n", at), size)) << at;
    }
  }
}

}  // namespace
}  // namespace shingled::mime
