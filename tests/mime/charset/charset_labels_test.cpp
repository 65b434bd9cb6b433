#include "mime/charset/charset_labels.h"

#include <gtest/gtest.h>
#include <unicode/ucnv.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

struct Row {
  std::string_view label, converter;
};
constexpr Row kRows[] = {
#include "mime/charset/charset_labels.inc"
};

TEST(CharsetLabels, NameOnlyConvertersThatIcuOpens) {
  for (const Row& row : kRows) {
    EXPECT_EQ(converter_of_label(row.label), row.converter);
    UErrorCode error = U_ZERO_ERROR;
    UConverter* const converter = ucnv_open(std::string(row.converter).c_str(), &error);
    EXPECT_TRUE(U_SUCCESS(error)) << row.label << ": " << row.converter;
    ucnv_close(converter);
  }
}

TEST(CharsetLabels, AreAllKnownToTheDecoder) {
  for (const Row& row : kRows) {
    std::string storage;
    // An unknown label leaves valid UTF-8 and calls it so; so do ASCII and UTF-8 themselves.
    const std::string charset = decode_all("caf\xc3\xa9", row.label, storage).charset;
    const bool checked = row.converter == "utf-8" || row.converter == "us-ascii";
    EXPECT_EQ(charset == "utf-8", checked) << row.label;
  }
}

TEST(CharsetLabels, LeaveOutWhatSaysNothing) {
  for (const std::string_view label : {"", "x-user-defined", "replacement", "x-what", "x-gb", "~"})
    EXPECT_EQ(converter_of_label(label), "") << label;
}

}  // namespace
}  // namespace shingled::mime
