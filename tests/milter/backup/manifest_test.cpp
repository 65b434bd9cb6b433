#include "milter/backup/manifest.h"

#include <gmock/gmock.h>

namespace shingled::milter::backup {
namespace {

using ::testing::HasSubstr;

Manifest sample() {
  Manifest out{.program = "1.2.3", .time = WallTime(std::chrono::seconds(1'700'000'000))};
  out.host = "mx1.example.org";
  out.with_keys = true;
  out.key_mark = 0x98dc12ab90ef3476;
  out.parts = {{.name = "hashes",
                .kind = "hashes",
                .file = "hashes.db",
                .path = "/srv/fuzzy.db",
                .bytes = 4096,
                .count = 12,
                .sha256 = std::string(64, 'a'),
                .mode = 0640},
               {.name = "policy.files.1",
                .kind = "settings",
                .file = "policy.files.1",
                .path = "/etc/shingled/policy.yaml",
                .bytes = 3,
                .sha256 = std::string(64, '0'),
                .mode = 0600}};
  out.left_out = {{"buckets", "in Redis at inet:6379@redis.example"}};
  return out;
}

TEST(Manifest, IsReadAsItWasWritten) {
  const Manifest written = sample();
  const auto read = parse_manifest(manifest_text(written));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, written);
  Manifest without_mark = written;
  without_mark.key_mark.reset();
  EXPECT_EQ(parse_manifest(manifest_text(without_mark)).value(), without_mark);
}

TEST(Manifest, SaysItsTimeForPeople) {
  EXPECT_THAT(manifest_text(sample()), HasSubstr("2023-11-14T22:13:20Z"));
}

TEST(Manifest, OfWhichAPartIsMissingIsRefused) {
  const std::string text = manifest_text(sample());
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(parse_manifest(std::string_view(text).substr(0, length))) << length;
}

TEST(Manifest, CannotNameFilesOutsideItsFolder) {
  for (const char* name :
       {"../fuzzy.db", "/etc/passwd", "", ".", "..", ".hidden", "a/b", "a\nb", "manifest.json"}) {
    Manifest manifest = sample();
    manifest.parts[0].file = name;
    const auto read = parse_manifest(manifest_text(manifest));
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(read.error().message, HasSubstr("\"file\""));
  }
}

TEST(Manifest, NamesEachPartAndFileOnce) {
  Manifest twice = sample();
  twice.parts[1].name = "hashes";
  EXPECT_FALSE(parse_manifest(manifest_text(twice)));
  twice = sample();
  twice.parts[1].file = "hashes.db";
  EXPECT_FALSE(parse_manifest(manifest_text(twice)));
}

TEST(Manifest, OfANewerVersionIsSaidToBeOne) {
  std::string text = manifest_text(sample());
  const std::string version = "\"version\": 1";
  text.replace(text.find(version), version.size(), "\"version\": 2");
  const auto read = parse_manifest(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(read.error().message, HasSubstr("newer shingled"));
}

TEST(Manifest, GivesNoModeBeyondPermissions) {
  std::string text = manifest_text(sample());
  text.replace(text.find("0640"), 4, "4755");
  EXPECT_EQ(parse_manifest(text).value().parts[0].mode, 0755U);
}

}  // namespace
}  // namespace shingled::milter::backup
