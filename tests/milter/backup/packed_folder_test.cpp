#include "milter/backup/packed_folder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/milter/backup/filled_site.h"

namespace shingled::milter::backup {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PackedFolderTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ + '/' + name, std::ios::binary) << text;
  }
  Result<PackedFolder> pack() {
    fs::remove(packed_);
    return pack_folder(folder_, packed_, progress_);
  }
  Result<PackedFolder> unpack() {
    fs::remove_all(back_);
    fs::create_directories(back_);
    return unpack_folder(packed_, back_, progress_);
  }

  shingled::testing::TemporaryDirectory directory_;
  std::string folder_ = directory_.file("folder");
  std::string packed_ = directory_.file("packed");
  std::string back_ = directory_.file("back");
  storage::Watcher watcher_ = go_on;
  ByteProgress progress_{watcher_, "copying", 0};
};

TEST_F(PackedFolderTest, IsPutBackByteForByte) {
  put("1-2-3.report", std::string("a\nb 12\n\0c", 10));
  put("1-2-4.refused", "");
  put("1-2-5.report", std::string(100'000, '\n'));
  const auto packed = pack();
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(*packed, (PackedFolder{3, 100'010}));
  const auto put_back = unpack();
  ASSERT_TRUE(put_back) << put_back.error().message;
  EXPECT_EQ(*put_back, *packed);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(text_of(back_ + '/' + name), text_of(folder_ + '/' + name)) << name;
  }
}

TEST_F(PackedFolderTest, HasNothingElseThanPlainFiles) {
  put("kept", "x");
  put(".hidden", "x");
  put("with blank", "x");
  fs::create_directories(folder_ + "/inside");
  fs::create_symlink("/etc/passwd", folder_ + "/link");
  const auto packed = pack();
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->files, 1U);
}

TEST_F(PackedFolderTest, ThatIsCutOffOrMadeUpIsRefused) {
  put("a.report", "some text");
  ASSERT_TRUE(pack());
  const std::string whole = text_of(packed_);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    std::ofstream(packed_) << whole.substr(0, length);
    const auto refused = unpack();
    ASSERT_FALSE(refused) << length;
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  }
  for (const char* text : {"../a 1\nx\n", ".a 1\nx\n", "a/b 1\nx\n", "a -1\nx\n", "a 2\nx\n",
                           "a 99999999999999\nx\n", "a\n", " 1\nx\n"}) {
    std::ofstream(packed_) << text;
    const auto refused = unpack();
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("is not a folder that was packed"));
    EXPECT_TRUE(fs::is_empty(back_)) << text;
  }
}

}  // namespace
}  // namespace shingled::milter::backup
