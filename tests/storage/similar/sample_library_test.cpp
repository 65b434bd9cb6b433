// Covers storage/model/sample.cpp, storage/sqlite/similar/sample_file.cpp.
// Known files: what is stored, found, removed, and shared between processes.
#include "storage/similar/sample_library.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <string>

#include "mime/fingerprint/spamsum.h"
#include "storage/sqlite/base/database.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::similar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kBlock = 64;

std::string random_text(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

Sample sample_of(std::string list, std::string name, std::string_view bytes) {
  return {.list = std::move(list),
          .name = std::move(name),
          .bytes = bytes.size(),
          .signature = fingerprint::spamsum(bytes),
          .parts = fingerprint::spamsum_parts(bytes, kBlock),
          .added = 1'790'000'000};
}

class SampleLibraryTest : public ::testing::Test {
 protected:
  std::unique_ptr<SampleLibrary> open() { return open({.file = path_, .part_block_size = kBlock}); }
  static std::unique_ptr<SampleLibrary> open(const LibraryOptions& options) {
    auto library = SampleLibrary::open(options);
    EXPECT_TRUE(library) << library.error().message;
    return library ? *std::move(library) : nullptr;
  }
  static std::vector<Sample> all(const SampleLibrary& library, std::string_view list = {}) {
    std::vector<Sample> out;
    const auto take = [&](const Sample& sample) {
      out.push_back(sample);
      return true;
    };
    EXPECT_TRUE(library.each(list, take));
    return out;
  }

  shingled::testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.file("similar.db");
};

TEST_F(SampleLibraryTest, KeepsItsSamples) {
  Sample one = sample_of("bad", "invoice.docx", random_text(9'000, 1));
  Sample two = sample_of("bad", std::string("\xff\0, \"x\"\n", 8), random_text(10, 2));
  Sample three = sample_of("a.good-1_", "", "");
  const auto library = open();
  one.id = library->add(one).value();
  two.id = library->add(two).value();
  three.id = library->add(three).value();
  EXPECT_THAT(all(*library), ElementsAre(three, one, two)) << "sorted by list";
  EXPECT_THAT(all(*library, "bad"), ElementsAre(one, two));
  EXPECT_THAT(all(*library, "ba"), IsEmpty());
  EXPECT_THAT(all(*open()), ElementsAre(three, one, two)) << "after opening it again";
}

TEST_F(SampleLibraryTest, FindsSimilarSamplesAndSharedParts) {
  const std::string bytes = random_text(20'000, 1);
  std::string changed = bytes;
  changed.replace(7'000, 5, "others");
  const auto library = open();
  const std::uint64_t id = library->add(sample_of("bad", "one", bytes)).value();
  static_cast<void>(library->add(sample_of("bad", "other", random_text(20'000, 2))).value());

  const auto similar = library->similar(fingerprint::spamsum(changed), 10);
  ASSERT_EQ(similar.size(), 1U);
  EXPECT_EQ(similar[0].id, id);
  EXPECT_EQ(similar[0].name, "one");
  EXPECT_EQ(similar[0].list, "bad");
  EXPECT_GT(similar[0].score, 90);

  const auto parts =
      library->sharing(fingerprint::spamsum_parts(bytes.substr(5'000, 2'000), kBlock), 10);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].id, id);
  EXPECT_GT(parts[0].shared, parts[0].asked / 2);
  EXPECT_THAT(library->similar(fingerprint::spamsum(changed), 0), IsEmpty());
}

TEST_F(SampleLibraryTest, StoresEqualSamplesOnce) {
  const auto library = open();
  const Sample sample = sample_of("bad", "one", random_text(5'000, 1));
  const std::uint64_t id = library->add(sample).value();
  EXPECT_EQ(library->add(sample).value(), id);
  EXPECT_EQ(open()->add(sample).value(), id);
  Sample other_list = sample;
  other_list.list = "worse";
  Sample other_name = sample;
  other_name.name = "two";
  const std::array both = {other_list, other_name, other_list};
  const auto [ids, known] = library->add_batch(both).value();
  EXPECT_EQ(known, 1U);
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[0], id);
  EXPECT_NE(ids[1], id);
  EXPECT_EQ(library->counts().samples, 3U);
}

TEST_F(SampleLibraryTest, ReplacesASampleWithoutPartsByOneWithParts) {
  const auto library = open();
  Sample sample = sample_of("bad", "one", random_text(5'000, 1));
  const std::string parts = std::exchange(sample.parts, "");
  const std::uint64_t id = library->add(sample).value();
  EXPECT_THAT(library->sharing(parts, 10), IsEmpty());
  sample.parts = parts;
  const std::uint64_t next = library->add(sample).value();
  EXPECT_NE(next, id);
  EXPECT_EQ(library->sharing(parts, 10).at(0).id, next);
  EXPECT_EQ(library->counts().samples, 1U);
  sample.parts.clear();
  EXPECT_EQ(library->add(sample).value(), next) << "the sample with parts stays";
}

TEST_F(SampleLibraryTest, NeverUsesAnIdTwice) {
  std::uint64_t last = 0;
  for (int round = 0; round < 4; ++round) {
    const auto library = open();
    const std::uint64_t id = library->add(sample_of("bad", "one", "some text")).value();
    EXPECT_GT(id, last);
    last = id;
    EXPECT_EQ(library->remove(std::array{id, id, id + 7}).value(), 1U);
    EXPECT_THAT(library->similar(fingerprint::spamsum("some text"), 10), IsEmpty());
    EXPECT_THAT(all(*library), IsEmpty());
  }
}

TEST_F(SampleLibraryTest, RefusesInvalidSamples) {
  const auto library = open();
  const Sample good = sample_of("bad", "one", "text");
  const struct {
    const char* why;
    void (*change)(Sample&);
  } cases[] = {
      {"an empty list name", [](Sample& sample) { sample.list = ""; }},
      {"a list name that is too long", [](Sample& sample) { sample.list.assign(65, 'x'); }},
      {"a list name with a blank", [](Sample& sample) { sample.list = "a b"; }},
      {"a name that is too long", [](Sample& sample) { sample.name.assign(4097, 'x'); }},
      {"parts with other characters", [](Sample& sample) { sample.parts = "AB-"; }},
      {"parts that are too long",
       [](Sample& sample) { sample.parts.assign((1U << 24U) + 1, 'x'); }},
      {"an invalid block size", [](Sample& sample) { sample.signature.block_size = 5; }},
      {"a colon in a signature", [](Sample& sample) { sample.signature.first = "a:b"; }},
      {"a signature that is too long",
       [](Sample& sample) { sample.signature.first.assign(65, 'x'); }},
  };
  for (const auto& c : cases) {
    Sample sample = good;
    c.change(sample);
    const std::array batch = {good, sample};
    const auto added = library->add_batch(batch);
    ASSERT_FALSE(added) << c.why;
    EXPECT_EQ(added.error().code, ErrorCode::kInvalid) << c.why;
    EXPECT_EQ(library->counts().samples, 0U) << c.why << ": all are added or none";
  }
}

TEST_F(SampleLibraryTest, ReadsTheChangesOfOtherProcesses) {
  const auto here = open();
  const auto there = open();
  EXPECT_FALSE(here->refresh().value());
  const std::string bytes = random_text(5'000, 1);
  const std::uint64_t id = there->add(sample_of("bad", "one", bytes)).value();
  EXPECT_THAT(here->similar(fingerprint::spamsum(bytes), 10), IsEmpty()) << "not before a refresh";
  EXPECT_TRUE(here->refresh().value());
  EXPECT_FALSE(here->refresh().value()) << "no further change";
  EXPECT_EQ(here->similar(fingerprint::spamsum(bytes), 10).at(0).id, id);
  EXPECT_EQ(there->remove(std::array{id}).value(), 1U);
  EXPECT_TRUE(here->refresh().value());
  EXPECT_THAT(here->similar(fingerprint::spamsum(bytes), 10), IsEmpty());

  const std::uint64_t brief = there->add(sample_of("bad", "brief", bytes)).value();
  EXPECT_EQ(there->remove(std::array{brief}).value(), 1U)
      << "added and removed between two refreshes";
  EXPECT_TRUE(here->refresh().value());
  EXPECT_EQ(here->counts().samples, 0U);
  const std::uint64_t mine = here->add(sample_of("bad", "mine", bytes)).value();
  EXPECT_EQ(here->similar(fingerprint::spamsum(bytes), 10).at(0).id, mine);
}

TEST_F(SampleLibraryTest, AnswersAFewQuestionsWithoutAnIndex) {
  const auto library = open({.file = path_, .part_block_size = kBlock, .index = false});
  const std::string bytes = random_text(20'000, 1);
  const Sample one = sample_of("bad", "one", bytes);
  const Sample piece = sample_of("bad", "piece", std::string_view(bytes).substr(7'000, 6'000));
  const Sample other = sample_of("bad", "other", random_text(20'000, 2));
  const auto [ids, known] = library->add_batch(std::array{one, other}).value();
  EXPECT_EQ(library->counts().samples, 0U) << "nothing is in memory";
  EXPECT_THAT(library->similar(one.signature, 10), IsEmpty());
  EXPECT_THAT(library->sharing(one.parts, 10), IsEmpty());

  const std::array<SampleScan::Question, 3> questions = {
      {{one.signature, one.parts}, {piece.signature, piece.parts}, {other.signature, ""}}};
  std::uint64_t shown = 0;
  const auto answers =
      library->scan(questions, 10, [&](std::uint64_t done, std::uint64_t) { shown = done; })
          .value();
  const auto indexed = open();
  ASSERT_EQ(answers.size(), questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(answers[i].similar, indexed->similar(questions[i].signature, 10)) << i;
    EXPECT_EQ(answers[i].sharing, indexed->sharing(questions[i].parts, 10)) << i;
  }
  EXPECT_EQ(answers[0].similar.at(0).id, ids[0]);
  EXPECT_EQ(answers[1].sharing.at(0).name, "one");
  EXPECT_EQ(shown, 2U);

  EXPECT_TRUE(library->remove(std::array{ids[0]}));
  EXPECT_THAT(library->scan(questions, 10).value()[0].similar, IsEmpty())
      << "a scan sees the present file";
}

TEST_F(SampleLibraryTest, AVisitMayStopAndChangeTheLibrary) {
  const auto library = open();
  std::vector<Sample> samples;
  for (int i = 0; i < 600; ++i) samples.push_back(sample_of("bad", std::to_string(i), "text"));
  ASSERT_TRUE(library->add_batch(samples));
  int seen = 0;
  EXPECT_TRUE(library->each("", [&](const Sample&) { return ++seen < 300; }));
  EXPECT_EQ(seen, 300);
  EXPECT_TRUE(library->each("bad", [&](const Sample& sample) {
    return library->remove(std::array{sample.id}).value() == 1;
  }));
  EXPECT_EQ(library->counts().samples, 0U);
}

TEST_F(SampleLibraryTest, ReportsItsProgress) {
  std::vector<Sample> samples;
  for (int i = 0; i < 25'000; ++i) samples.push_back(sample_of("bad", std::to_string(i), ""));
  ASSERT_TRUE(open()->add_batch(samples));
  std::vector<std::uint64_t> seen;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 25'000U);
    seen.push_back(done);
  };
  LibraryOptions options{.file = path_, .part_block_size = kBlock};
  ASSERT_TRUE(SampleLibrary::open(options, progress));
  EXPECT_THAT(seen, ElementsAre(10'000, 20'000, 25'000));
}

TEST_F(SampleLibraryTest, HasOneBlockSize) {
  const auto empty = open({.file = path_, .part_block_size = 100});
  EXPECT_TRUE(open({.file = path_, .part_block_size = 200})) << "the file is still empty";
  const std::uint64_t id = open()->add(sample_of("bad", "one", random_text(900, 1))).value();

  const auto other = SampleLibrary::open({.file = path_, .part_block_size = 100});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(other.error().message, HasSubstr("64"));
  EXPECT_THAT(other.error().message, HasSubstr("100"));
  EXPECT_THAT(other.error().message, HasSubstr(path_));
  const auto late = empty->add(sample_of("bad", "two", random_text(900, 2)));
  ASSERT_FALSE(late) << "opened before the file had a block size";
  EXPECT_EQ(late.error().code, ErrorCode::kInvalid);

  EXPECT_TRUE(open({.file = path_, .part_block_size = 100, .parts = false}))
      << "then the block size does not matter";
  EXPECT_EQ(open()->remove(std::array{id}).value(), 1U);
  EXPECT_TRUE(open({.file = path_, .part_block_size = 100})) << "the file is empty again";
}

TEST_F(SampleLibraryTest, SaysWhyAFileCannotBeUsed) {
  const std::string text = folder_.file("text");
  std::ofstream(text) << std::string(5'000, 'x');
  const std::string foreign = folder_.file("foreign.db");
  {
    auto database = sqlite::Database::open(foreign, sqlite::Database::Access::kCreate).value();
    ASSERT_TRUE(database->execute("CREATE TABLE t (a)"));
  }
  const std::string newer = folder_.file("newer.db");
  ASSERT_TRUE(SampleLibrary::open({.file = newer}));
  {
    auto database = sqlite::Database::open(newer, sqlite::Database::Access::kReadWrite).value();
    ASSERT_TRUE(database->execute("PRAGMA user_version = 9"));
  }
  const std::string odd = folder_.file("odd.db");
  ASSERT_TRUE(SampleLibrary::open({.file = odd}).value()->add(sample_of("bad", "one", "text")));
  {
    auto database = sqlite::Database::open(odd, sqlite::Database::Access::kReadWrite).value();
    ASSERT_TRUE(database->execute("UPDATE samples SET signature = 'x'"));
  }
  const struct {
    const char* why;
    LibraryOptions options;
    ErrorCode code;
  } cases[] = {
      {"a text file", {.file = text}, ErrorCode::kCorrupt},
      {"another program's database", {.file = foreign}, ErrorCode::kCorrupt},
      {"a file of a newer version", {.file = newer}, ErrorCode::kInvalid},
      {"a row that is not valid", {.file = odd}, ErrorCode::kCorrupt},
      {"a folder that does not exist", {.file = folder_.file("no/file")}, ErrorCode::kDenied},
      {"a missing file, opened read-only",
       {.file = folder_.file("none"), .read_only = true},
       ErrorCode::kNotFound},
  };
  for (const auto& c : cases) {
    const auto library = SampleLibrary::open(c.options);
    ASSERT_FALSE(library) << c.why;
    EXPECT_EQ(library.error().code, c.code) << c.why << ": " << library.error().message;
    EXPECT_THAT(library.error().message, HasSubstr(c.options.file.string())) << c.why;
  }
}

// A file may have been changed by anybody. Samples that are not valid must not reach the index,
// which relies on the limits of a sample.
TEST_F(SampleLibraryTest, RefusesAFileWithInvalidSamples) {
  constexpr const char* kRows[] = {
      "UPDATE samples SET list = ''",
      "UPDATE samples SET list = 'a b'",
      "UPDATE samples SET list = replace(hex(zeroblob(33)), '0', 'x')",
      "UPDATE samples SET name = zeroblob(4097)",
      "UPDATE samples SET name = zeroblob(70000)",
      "UPDATE samples SET parts = 'AB-'",
      "UPDATE samples SET parts = replace(hex(zeroblob(8388609)), '0', 'x')",
      "UPDATE samples SET signature = '3:' || replace(hex(zeroblob(33)), '0', 'x') || ':x'",
      "UPDATE samples SET signature = '5:abc:abc'",
  };
  for (const char* change : kRows) {
    const std::string path = folder_.file("odd.db");
    std::filesystem::remove(path);
    ASSERT_TRUE(SampleLibrary::open({.file = path}).value()->add(sample_of("bad", "one", "text")));
    ASSERT_TRUE(sqlite::Database::open(path, sqlite::Database::Access::kReadWrite)
                    .value()
                    ->execute(change));
    const auto library = SampleLibrary::open({.file = path});
    ASSERT_FALSE(library) << change;
    EXPECT_EQ(library.error().code, ErrorCode::kCorrupt) << change;
    EXPECT_THAT(library.error().message, HasSubstr("odd.db: sample ")) << change;
  }
}

TEST_F(SampleLibraryTest, RootGivesTheFileToTheOwnerOfTheFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files for other users";
  constexpr uid_t kNobody = 65'534;
  const std::string folder = path_ + "_folder";
  const std::string file = folder + "/similar.db";
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  ASSERT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
  const auto library = open({.file = file, .part_block_size = kBlock});
  ASSERT_TRUE(library->add(sample_of("bad", "one", random_text(5000, 1))));
  for (const char* beside : {"", "-wal", "-shm"}) {
    struct stat made {};
    ASSERT_EQ(::stat((file + beside).c_str(), &made), 0) << beside;
    EXPECT_EQ(made.st_uid, kNobody) << beside;
    EXPECT_EQ(made.st_gid, kNobody) << beside;
  }
}

TEST_F(SampleLibraryTest, ReadOnlyDoesNotWrite) {
  const auto writer = open();
  const auto reader = open({.file = path_, .part_block_size = kBlock, .read_only = true});
  const Sample sample = sample_of("bad", "one", "some text");
  const auto refused = reader->add(sample);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  EXPECT_FALSE(reader->remove(std::array{std::uint64_t{1}}));
  const std::uint64_t id = writer->add(sample).value();
  EXPECT_TRUE(reader->refresh().value());
  EXPECT_EQ(reader->similar(sample.signature, 1).at(0).id, id);
}

}  // namespace
}  // namespace shingled::storage::similar
