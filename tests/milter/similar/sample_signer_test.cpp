#include "milter/similar/sample_signer.h"

#include <gmock/gmock.h>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "tests/milter/similar/temporary_library.h"
#include "tests/mime/container/archive_builder.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::similar {
namespace {

using ::shingled::testing::compress;
using ::shingled::testing::ManualClock;
using ::shingled::testing::noise;
using ::shingled::testing::PackedFile;
using ::shingled::testing::tar;
using ::shingled::testing::zip;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SignedFile sign(std::string_view bytes, const SimilarOptions& options = {}) {
  const ManualClock clock;
  return sign_pieces(bytes, options, clock, clock.now() + std::chrono::seconds(1));
}

std::vector<std::string> paths(const SignedFile& file) {
  std::vector<std::string> out;
  for (const SignedPiece& piece : file.pieces) out.push_back(piece.path);
  return out;
}

TEST(SampleSigner, SignsAPlainFileAsItIs) {
  const std::string bytes = noise(3'000'000, 1);
  const SignedFile file = sign(bytes);
  ASSERT_THAT(paths(file), ElementsAre(""));
  EXPECT_EQ(file.pieces[0].bytes, bytes.size());
  EXPECT_EQ(file.pieces[0].signature, fingerprint::spamsum(bytes));
  EXPECT_EQ(file.pieces[0].parts, fingerprint::spamsum_parts(bytes, 768));
  EXPECT_EQ(sign(bytes, {.parts = false}).pieces[0].parts, "");
  EXPECT_THAT(paths(sign("")), ElementsAre("")) << "an empty file is signed, too";
}

TEST(SampleSigner, SignsAContainerTheSameForEveryPacking) {
  const std::vector<PackedFile> files = {{"a", noise(20'000, 2)}, {"b", noise(30'000, 3)}};
  const std::vector<PackedFile> turned = {files[1], files[0]};
  const auto expected = fingerprint::spamsum(files[0].bytes + files[1].bytes);
  for (const std::string& packed :
       {zip(files), zip(turned, false), tar(turned), compress(ARCHIVE_FILTER_XZ, tar(files))}) {
    EXPECT_EQ(sign(packed).pieces.at(0).signature, expected);
  }
  const std::string packed = zip(files);
  EXPECT_EQ(sign(packed, {.containers = {.open = false}}).pieces.at(0).signature,
            fingerprint::spamsum(packed));
}

TEST(SampleSigner, SignsEntriesOfAContainer) {
  const std::string program = noise(50'000, 4);
  const std::string inner = zip({{"c/evil.exe", program}, {"tiny", "too small to be looked up"}});
  const std::string packed =
      compress(ARCHIVE_FILTER_GZIP, tar({{"readme", noise(5000, 5)}, {"in.zip", inner}}));
  const SignedFile file = sign(packed);
  EXPECT_THAT(paths(file), ElementsAre("", "readme", "in.zip", "in.zip!c/evil.exe"));
  EXPECT_EQ(file.pieces.at(3).signature, fingerprint::spamsum(program));
  EXPECT_EQ(file.containers, 3U);
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST(SampleSigner, SignsTheOnlyFileAsTheWholeAndByItsName) {
  const std::string program = noise(50'000, 10);
  const SignedFile file = sign(zip({{"evil.exe", program}}));
  ASSERT_THAT(paths(file), ElementsAre("", "evil.exe"));
  for (const SignedPiece& piece : file.pieces) {
    EXPECT_EQ(piece.bytes, program.size());
    EXPECT_EQ(piece.signature, fingerprint::spamsum(program));
    EXPECT_EQ(piece.parts, fingerprint::spamsum_parts(program, 768));
  }
}

std::string docx(const std::string& text) {
  return zip({{"[Content_Types].xml", noise(9000, 6)},
              {"word/document.xml",
               "<w:document " + noise(2000, 7) + "><w:body>" + text + "</w:body></w:document>"},
              {"word/styles.xml", noise(40'000, 8)},
              {"word/theme/theme1.xml", noise(8000, 9)}});
}

TEST(SampleSigner, DocumentsOfDifferentAuthorsAreNotSimilar) {
  const SignedFile one = sign(docx(noise(12'000, 10)));
  const SignedFile other = sign(docx(noise(12'000, 11)));
  EXPECT_THAT(paths(one), ElementsAre("", "word/document.xml"));
  EXPECT_EQ(fingerprint::spamsum_score(one.pieces[0].signature, other.pieces[0].signature), 0);
}

TEST(SampleSigner, SignsAContainerByItsBytesIfItCannotBeOpened) {
  const std::vector<PackedFile> files = {{"a", noise(9000, 12)}, {"b", noise(9000, 13)}};
  const std::string whole = zip(files, false);
  const std::string cut = whole.substr(0, 14'000);
  const SignedFile file = sign(cut);
  EXPECT_EQ(file.pieces.at(0).signature, fingerprint::spamsum(cut));
  EXPECT_THAT(file.notes, ElementsAre("broken container"));
  EXPECT_EQ(paths(file).at(1), "a") << "the readable entries are looked up all the same";
  const SignedFile bounded = sign(whole, {.containers = {.entries_max = 1}});
  EXPECT_EQ(bounded.pieces.at(0).signature, fingerprint::spamsum(whole));
  EXPECT_THAT(bounded.notes, ElementsAre("entry limit reached"));
}

TEST(SampleSigner, KeepsItsBounds) {
  const std::string bytes = noise(10'000, 14);
  const SignedFile large = sign(bytes, {.bytes_max = 9999});
  EXPECT_THAT(large.pieces, IsEmpty());
  EXPECT_THAT(large.notes, ElementsAre("larger than bytes_max"));

  const ManualClock clock;
  const SignedFile late = sign_pieces(bytes, {}, clock, clock.now());
  EXPECT_THAT(late.pieces, IsEmpty());
  EXPECT_THAT(late.notes, ElementsAre("time limit reached"));
}

}  // namespace
}  // namespace shingled::milter::similar
