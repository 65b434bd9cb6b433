// Covers mime/container/archive_reader.cpp: opening containers.

#include "mime/container/container.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/mime/container/archive_builder.h"

namespace shingled::mime {
namespace {

using ::shingled::testing::compress;
using ::shingled::testing::honest;
using ::shingled::testing::PackedFile;
using ::shingled::testing::raw_zip;
using ::shingled::testing::RawZipEntry;
using ::shingled::testing::tar;
using ::shingled::testing::zip;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Le;

OpenedContainer open(std::string_view bytes, const ContainerOptions& options = {}) {
  return open_container(bytes, options, [] { return false; });
}

std::string patterned(std::size_t bytes, unsigned seed) {
  std::string out;
  while (out.size() < bytes) {
    seed = seed * 1664525U + 1013904223U;
    out += static_cast<char>(seed >> 24U);
  }
  return out;
}

TEST(Container, GivesTheFilesOfEachKind) {
  const std::string text = "the text of a file, " + patterned(3000, 1);
  const std::vector<PackedFile> files = {{"b/one.txt", text}, {"two", "second"}};
  struct Case {
    std::string_view kind;
    std::string bytes;
  };
  for (const auto& [kind, bytes] :
       {Case{"zip", zip(files)}, Case{"zip", zip(files, false)}, Case{"tar", tar(files)}}) {
    const OpenedContainer opened = open(bytes);
    EXPECT_EQ(to_string(opened.root.kind), kind);
    EXPECT_THAT(opened.notes, IsEmpty());
    EXPECT_TRUE(opened.root.whole);
    EXPECT_EQ(opened.entries, 2U);
    EXPECT_EQ(opened.bytes, text.size() + 6);
    ASSERT_EQ(opened.root.entries.size(), 2U);
    EXPECT_EQ(opened.root.entries[0].name, "b/one.txt");
    EXPECT_EQ(opened.root.entries[0].bytes, text);
    EXPECT_EQ(opened.root.entries[1].bytes, "second");
  }
}

TEST(Container, GivesWhatIsCompressed) {
  const std::string text = patterned(100'000, 2);
  struct Case {
    std::string_view kind;
    int filter;
  };
  for (const auto& [kind, filter] :
       {Case{"gzip", ARCHIVE_FILTER_GZIP}, Case{"bzip2", ARCHIVE_FILTER_BZIP2},
        Case{"xz", ARCHIVE_FILTER_XZ}, Case{"zstd", ARCHIVE_FILTER_ZSTD},
        Case{"lz4", ARCHIVE_FILTER_LZ4}}) {
    const OpenedContainer opened = open(compress(filter, text));
    EXPECT_EQ(to_string(opened.root.kind), kind);
    EXPECT_THAT(opened.notes, IsEmpty()) << kind;
    ASSERT_EQ(opened.root.entries.size(), 1U) << kind;
    EXPECT_EQ(opened.root.entries[0].name, "") << kind;
    EXPECT_EQ(opened.root.entries[0].bytes, text) << kind;
  }
}

TEST(Container, OpensContainersInside) {
  const std::string inner = zip({{"evil.exe", "MZ" + patterned(500, 3)}});
  const std::string packed = compress(ARCHIVE_FILTER_GZIP, tar({{"inner.zip", inner}}));
  const OpenedContainer opened = open(packed);
  EXPECT_THAT(opened.notes, IsEmpty());
  EXPECT_EQ(opened.containers, 3U);
  const Container& archive = opened.root.entries.at(0).inside;
  EXPECT_EQ(archive.kind, ContainerKind::kTar);
  EXPECT_EQ(archive.entries.at(0).inside.entries.at(0).name, "evil.exe");
}

TEST(Container, ListsNoFoldersAndNothingEmpty) {
  const OpenedContainer opened =
      open(raw_zip({honest("folder/", ""), honest("folder/empty", ""), honest("folder/a", "a")}));
  ASSERT_EQ(opened.root.entries.size(), 1U);
  EXPECT_EQ(opened.root.entries[0].name, "folder/a");
  EXPECT_EQ(opened.entries, 3U);
}

TEST(Container, TakesNamesForLabels) {
  struct Case {
    std::string_view why;
    std::string name;
    std::string expected;
  };
  const std::string long_name(5000, 'n');
  for (const auto& [why, name, expected] :
       {Case{"a way out of the folder", "../../etc/passwd", "../../etc/passwd"},
        Case{"a way from the root", "/etc/passwd", "/etc/passwd"},
        Case{"a drive", "C:\\windows\\x", "C:/windows/x"},
        Case{"NUL ends it, as for those who unpack", std::string("a.txt\0.exe", 10), "a.txt"},
        Case{"too long", long_name, long_name.substr(0, 255)}}) {
    const OpenedContainer opened = open(raw_zip({honest(name, "bytes")}));
    ASSERT_EQ(opened.root.entries.size(), 1U) << why;
    EXPECT_EQ(opened.root.entries[0].name, expected) << why;
    EXPECT_EQ(opened.root.entries[0].bytes, "bytes") << why;
  }
  constexpr std::uint16_t kUtf8Name = 1U << 11U;
  RawZipEntry entry = honest("Rechnung für März.txt", "bytes");
  entry.flags = kUtf8Name;
  EXPECT_EQ(open(raw_zip({entry})).root.entries.at(0).name, "Rechnung für März.txt");
}

RawZipEntry with(RawZipEntry entry, const std::function<void(RawZipEntry&)>& change) {
  change(entry);
  return entry;
}

TEST(Container, SaysWhatItCannotRead) {
  const std::string bytes = patterned(2000, 4);
  const RawZipEntry sound = honest("sound", "sound");
  const RawZipEntry other = honest("other", bytes);
  struct Case {
    std::string_view why;
    std::string bytes;
    std::string_view note;
  };
  const std::string whole = raw_zip({sound, other});
  const std::string archive = tar({{"one", bytes}, {"two", bytes}});
  const std::string gzip = compress(ARCHIVE_FILTER_GZIP, bytes);
  const std::vector<Case> cases = {
      {"an encrypted entry", raw_zip({with(other, [](auto& e) { e.flags = 1; }), sound}),
       "an entry is encrypted"},
      {"an unknown method", raw_zip({with(other, [](auto& e) { e.method = 77; }), sound}),
       "an entry cannot be read"},
      {"a wrong checksum", raw_zip({with(other, [](auto& e) { e.crc ^= 1U; }), sound}),
       "an entry cannot be read"},
      {"the directory is cut off", whole.substr(0, whole.size() - 60), "broken container"},
      {"the last entry is cut off", whole.substr(0, 1000), "broken container"},
      {"a gzip that is cut off", gzip.substr(0, gzip.size() / 2), "broken container"},
      {"a tar that is cut off", archive.substr(0, archive.size() / 3), "broken container"},
      {"a mark and nothing else", "PK\x03\x04 is how a zip begins", "broken container"},
  };
  for (const auto& [why, packed, note] : cases) {
    const OpenedContainer opened = open(packed);
    EXPECT_THAT(opened.notes, ElementsAre(note)) << why;
    EXPECT_FALSE(opened.root.whole) << why;
    EXPECT_TRUE(opened.is_container()) << why;
  }
  const auto names = [](std::string_view packed) {
    std::vector<std::string> out;
    for (const ContainerEntry& entry : open(packed).root.entries) out.push_back(entry.name);
    return out;
  };
  EXPECT_THAT(names(cases[0].bytes), ElementsAre("sound")) << "the others are read";
  EXPECT_THAT(names(cases[4].bytes), Contains("sound")) << "what comes before it";
}

TEST(Container, BelievesNoSizes) {
  constexpr std::uint32_t kHuge = 0xfffffff0;
  const RawZipEntry plain = honest("plain", patterned(5000, 5));
  struct Case {
    std::string_view why;
    RawZipEntry entry;
  };
  for (const auto& [why, entry] :
       {Case{"huge in the directory", with(plain, [](auto& e) { e.central_size = kHuge; })},
        Case{"huge before the file", with(plain, [](auto& e) { e.local_size = kHuge; })},
        Case{"huge in both", with(plain, [](auto& e) { e.local_size = e.central_size = kHuge; })},
        Case{"small in the directory", with(plain, [](auto& e) { e.central_size = 3; })},
        Case{"the file is outside", with(plain, [](auto& e) { e.offset = 0x7fffffff; })},
        Case{"nothing in both", with(plain, [](auto& e) { e.local_size = e.central_size = 0; })}}) {
    const OpenedContainer opened = open(raw_zip({entry}));
    EXPECT_THAT(opened.bytes, Le(6000U)) << why;
    EXPECT_THAT(opened.notes, IsSubsetOf({"broken container", "an entry cannot be read"})) << why;
  }
}

/// Each file lies within the one before it, and the directory names them all.
TEST(Container, CountsOverlappingEntriesEachTime) {
  constexpr std::size_t kLayers = 20;
  constexpr std::size_t kHeaderBytes = 30 + 1;
  std::string bytes = patterned(200'000, 6);
  for (std::size_t i = 0; i < kLayers; ++i) {
    const std::string whole = raw_zip({honest("n", bytes)});
    bytes = "#" + whole.substr(0, kHeaderBytes + bytes.size());  // "#": it is no zip itself
  }
  std::vector<RawZipEntry> entries = {honest("0", bytes)};
  for (std::size_t i = 1; i <= kLayers; ++i) {
    const std::size_t offset = i * (kHeaderBytes + 1);
    RawZipEntry entry = honest("n", bytes.substr(offset));
    entry.offset = static_cast<std::int64_t>(offset);
    entry.bytes.clear();
    entries.push_back(entry);
  }
  const std::string packed = raw_zip(entries);
  EXPECT_EQ(open(packed).entries, kLayers + 1);
  EXPECT_THAT(open(packed, {.unpacked_max = 1'000'000}).notes, ElementsAre("size limit reached"));
}

std::string nested(int depth) {
  std::string bytes = "the innermost";
  for (int i = 0; i < depth; ++i) bytes = zip({{"z.zip", bytes}}, i % 2 == 0);
  return bytes;
}

TEST(Container, StopsAtEachBound) {
  const std::string zeros(8U << 20U, '\0');
  std::vector<PackedFile> many;
  for (int i = 0; i < 10'000; ++i) many.push_back({"f" + std::to_string(i), "x"});
  std::vector<RawZipEntry> listed(kZipDirectoryMax + 1, honest("n", ""));
  struct Case {
    std::string_view why;
    std::string bytes;
    ContainerOptions options;
    std::string_view note;
  };
  const std::vector<Case> cases = {
      {"a bomb of zeros", zip({{"z", zeros}}), {}, "ratio limit reached"},
      {"a bomb of bzip2", compress(ARCHIVE_FILTER_BZIP2, zeros), {}, "ratio limit reached"},
      {"the size of all",
       zip({{"z", zeros}}),
       {.unpacked_max = 5'000'000, .ratio_max = 100'000},
       "size limit reached"},
      {"10 000 entries", zip(many), {}, "entry limit reached"},
      {"10 000 entries of a tar", tar(many), {}, "entry limit reached"},
      {"a directory of its own size", raw_zip(listed), {}, "entry limit reached"},
      {"nested 100 deep", nested(100), {}, "depth limit reached"},
      {"compressed 100 times",
       [] {
         std::string bytes = "the innermost";
         for (int i = 0; i < 100; ++i) bytes = compress(ARCHIVE_FILTER_GZIP, bytes);
         return bytes;
       }(),
       {},
       "depth limit reached"},
  };
  for (const auto& [why, bytes, options, note] : cases) {
    const OpenedContainer opened = open(bytes, options);
    EXPECT_THAT(opened.notes, ElementsAre(note)) << why;
    EXPECT_THAT(opened.bytes, Le(options.unpacked_max + (1U << 20U))) << why;
    EXPECT_THAT(opened.entries, Le(options.entries_max)) << why;
    EXPECT_THAT(opened.containers, Le(options.depth_max)) << why;
  }
}

TEST(Container, KeepsWhatCameBeforeTheBound) {
  const OpenedContainer opened = open(zip({{"a", "first"}, {"b", "second"}, {"c", "third"}}),
                                      ContainerOptions{.entries_max = 2});
  EXPECT_THAT(opened.notes, ElementsAre("entry limit reached"));
  EXPECT_FALSE(opened.root.whole);
  EXPECT_EQ(opened.root.entries.size(), 2U);
}

TEST(Container, AContainerTooDeepIsAFile) {
  const OpenedContainer opened = open(nested(3), ContainerOptions{.depth_max = 2});
  EXPECT_THAT(opened.notes, ElementsAre("depth limit reached"));
  EXPECT_TRUE(opened.root.whole);
  const ContainerEntry& deep = opened.root.entries.at(0).inside.entries.at(0);
  EXPECT_EQ(deep.inside.kind, ContainerKind::kZip);
  EXPECT_FALSE(deep.inside.whole);
  EXPECT_FALSE(deep.bytes.empty());
}

TEST(Container, StopsWhenTimeIsOver) {
  const std::string bytes = zip({{"a", patterned(3'000'000, 7)}, {"b", "small"}});
  int asked = 0;
  const OpenedContainer opened = open_container(bytes, {}, [&] { return ++asked > 4; });
  EXPECT_THAT(opened.notes, ElementsAre("time limit reached"));
  EXPECT_EQ(asked, 5);
  EXPECT_FALSE(opened.root.whole);
  EXPECT_THAT(opened.root.entries, IsEmpty()) << "a file that was not read to its end";
}

TEST(Container, EveryTruncationEnds) {
  const std::string bytes =
      zip({{"a", patterned(700, 8)}, {"b.zip", zip({{"c", "inner"}})}, {"d", "text text text"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_FALSE(open(cut).root.whole) << size;
  }
}

using namespace std::string_literals;

TEST(ContainerKind, OrdinaryFilesAreNoContainers) {
  std::string blocks(1024, ' ');
  struct Case {
    std::string_view why;
    std::string bytes;
  };
  for (const auto& [why, bytes] :
       {Case{"nothing", ""}, Case{"a text", "Dear Sir or Madam, PK\x03\x04 is no beginning"},
        Case{"a long text", std::string(2000, 'a')}, Case{"blanks", blocks},
        Case{"zeros", std::string(2000, '\0')}, Case{"a PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"},
        Case{"a picture", "\xff\xd8\xff\xe0\0\x10JFIF"s}, Case{"a program", "MZ\x90\0\x03"s},
        Case{"mtree", "#mtree\n/set type=file\n./a mode=0644\n"},
        Case{"cpio", "070707000000000000000000"}, Case{"ar", "!<arch>\ndebian-binary   "},
        Case{"an old mail spool",
             "From user Mon Jan  1 00:00:00 2024\nSubject: 0000644\n\n" + std::string(600, '0')},
        Case{"a gzip with reserved flags", "\x1f\x8b\x08\xe0" + std::string(30, 'x')},
        Case{"half a mark", "PK"}, Case{"BZh and no block", "BZh9 is a text about bzip2"}}) {
    EXPECT_EQ(sniff_container(bytes), ContainerKind::kNone) << why;
  }
}

TEST(ContainerKind, ATarNeedsItsChecksum) {
  std::string bytes = testing::tar({{"a.txt", "text"}});
  EXPECT_EQ(sniff_container(bytes), ContainerKind::kTar);
  bytes[3] ^= 1;
  EXPECT_EQ(sniff_container(bytes), ContainerKind::kNone);
  bytes[3] ^= 1;
  EXPECT_EQ(sniff_container(bytes.substr(0, 511)), ContainerKind::kNone) << "half a header";
}

TEST(ContainerKind, KnowsOldTars) {
  std::string header(512, '\0');
  header.replace(0, 5, "a.txt");
  header.replace(100, 7, "0000644");
  header.replace(124, 11, "00000000000");
  unsigned sum = 8 * ' ';
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 6, digits, 6);
  EXPECT_EQ(sniff_container(header), ContainerKind::kTar);
}

}  // namespace
}  // namespace shingled::mime
