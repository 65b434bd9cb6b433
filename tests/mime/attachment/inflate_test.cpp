#include "mime/attachment/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

std::string packed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

std::optional<std::string> unpacked(std::string_view bytes, std::size_t bytes_max) {
  WorkMeter meter(UINT64_MAX);
  return inflate_bytes(bytes, bytes_max, meter);
}

const std::string kText = "a text that is packed, a text that is packed";

TEST(Inflate, UnpacksZlibAndBareDeflate) {
  const std::string bytes = packed(kText);
  EXPECT_EQ(unpacked(bytes, 1000), kText);
  EXPECT_EQ(unpacked(std::string_view(bytes).substr(2), 1000), kText) << "without its header";
  EXPECT_EQ(unpacked("", 1000), "");
}

TEST(Inflate, GivesWhatIsThereOfACutStream) {
  const std::string bytes = packed(kText);
  const auto cut = unpacked(std::string_view(bytes).substr(0, bytes.size() - 6), 1000);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(std::string_view(kText).starts_with(*cut));
}

TEST(Inflate, RefusesWhatIsBrokenTooLargeOrNotPaidFor) {
  EXPECT_FALSE(unpacked("this is not packed", 1000));
  EXPECT_FALSE(unpacked(packed(std::string(100'000, 'x')), 1000));
  WorkMeter meter(10);
  EXPECT_FALSE(inflate_bytes(packed(kText), 1000, meter));
}

TEST(Inflate, EndsWhereNoBytesAreWanted) { EXPECT_FALSE(unpacked(packed(kText), 0)); }

}  // namespace
}  // namespace shingled::mime
