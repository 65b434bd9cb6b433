// Covers storage/similar/sample_table.cpp.
// Law of the index: it finds what a comparison with all samples finds.
#include "storage/similar/sample_index.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/storage/similar/all_samples.h"

namespace shingled::storage::similar {
namespace {

using testing::AllSamples;
using testing::SampleSource;

void merge(SampleIndex& index, GramIndex::Which which) {
  while (auto merge = index.next_merge(which)) index.apply(*std::move(merge));
}

RC_GTEST_PROP(SampleIndexLaw, FindsWhatComparingWithEverythingFinds, ()) {
  SampleIndex index({});
  AllSamples all;
  SampleSource source(*rc::gen::arbitrary<std::uint64_t>());
  std::uint64_t id = 0;
  const auto ask = [&] {
    const Sample question = source.next();
    const std::size_t most = source.pick(3) == 0 ? source.pick(4) : 1'000;
    RC_ASSERT(index.similar(question.signature, most) == all.similar(question.signature, most));
    RC_ASSERT(index.sharing(question.parts, most) == all.sharing(question.parts, most));
  };
  const int steps = *rc::gen::inRange(1, 150);
  for (int step = 0; step < steps; ++step) {
    switch (source.pick(16)) {
      case 0:
        merge(index, GramIndex::Which::kAny);
        break;
      case 1:
        index.settle();
        break;
      case 2:
      case 3: {
        if (id == 0) break;
        const std::uint64_t gone = 1 + source.pick(id);
        const std::size_t before = all.all().size();
        all.remove(gone);
        RC_ASSERT(index.remove(gone) == (all.all().size() < before));
        break;
      }
      case 4:
      case 5:
        ask();
        break;
      default: {
        Sample sample = source.next();
        sample.id = id += 1 + source.pick(3);
        source.pick(2) == 0 ? index.add(sample) : index.load(sample);
        all.add(sample);
      }
    }
    RC_ASSERT(index.counts().samples == all.all().size());
  }
  for (int i = 0; i < 10; ++i) ask();
}

TEST(SampleIndex, FindsInTheCorpusWhatComparingFinds) {
  const std::filesystem::path corpus(SHINGLED_SHARED_DIR "/corpus");
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no ../shared/corpus beside the checkout";
  SampleIndex index({});
  AllSamples all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    Sample sample{.id = all.all().size() + 1,
                  .list = "corpus",
                  .name = entry.path().filename().string(),
                  .bytes = bytes.size(),
                  .signature = fingerprint::spamsum(bytes),
                  .parts = fingerprint::spamsum_parts(bytes, 64)};
    index.add(sample);
    all.add(sample);
  }
  ASSERT_GT(all.all().size(), 1000U);
  std::size_t found = 0;
  for (std::size_t i = 0; i < all.all().size(); i += 3) {
    const Sample& sample = all.all()[i];
    const auto similar = index.similar(sample.signature, 10'000);
    ASSERT_EQ(similar, all.similar(sample.signature, 10'000)) << sample.name;
    found += similar.size();
  }
  EXPECT_GT(found, all.all().size() * 2 / 3) << "there are near-duplicates among them";
  for (std::size_t i = 0; i < all.all().size(); i += 40) {
    const Sample& sample = all.all()[i];
    ASSERT_EQ(index.sharing(sample.parts, 50), all.sharing(sample.parts, 50)) << sample.name;
  }
}

// Common letters: signatures of one letter, and a run that all signatures share.
TEST(SampleIndex, IsExactEvenIfAllSamplesShareAKey) {
  SampleIndex index({});
  AllSamples all;
  SampleSource source(7);
  for (std::uint64_t id = 1; id <= 50'000; ++id) {
    Sample sample = source.next();
    sample.id = id;
    sample.signature = {96, "commonrun" + sample.signature.first.substr(0, 9), ""};
    if (id % 3 == 0) sample.signature.first.assign(id % 64, 'x');
    sample.parts = sample.signature.first;
    index.add(sample);
    all.add(sample);
    if (id % 10'000 == 0) merge(index, GramIndex::Which::kFull);
  }
  for (const char* text : {"96:commonrunABC:", "96:xxxxxxxxxxxxxxxxxxx:", "96:xxx:", "96:x:",
                           "192:commonrun:", "96::", "48:xxxx:xxxxcommonrunabcdef"}) {
    const auto question = fingerprint::Spamsum::parse(text).value();
    EXPECT_EQ(index.similar(question, 100'000), all.similar(question, 100'000)) << text;
    EXPECT_EQ(index.similar(question, 3), all.similar(question, 3)) << text;
  }
}

// Crafted samples that all share one run with the question. The work is limited, but a sample that
// shares more than that run is still found.
TEST(SampleIndex, LimitsTheSamplesThatItCompares) {
  constexpr std::size_t kMany = SimilarLimits::kCandidatesMax + 20'000;
  SampleIndex index({.parts = false});
  const auto number = [](std::uint64_t id) {
    std::string letters;
    for (int i = 0; i < 5; ++i, id /= 26) letters.push_back(static_cast<char>('a' + id % 26));
    return letters;
  };
  Sample sample{.id = 0, .list = "bad", .name = "n", .signature = {}, .parts = ""};
  for (std::uint64_t id = 1; id <= kMany; ++id) {
    sample.id = id;
    sample.signature = {96, "COMMONR" + number(id), ""};
    index.load(sample);
  }
  sample.id = kMany + 1;
  sample.signature = {96, "COMMONRabcdefghijklmnopq", ""};
  index.load(sample);
  index.settle();
  const auto common = index.similar(fingerprint::Spamsum::parse("96:COMMONR12345:").value(), kMany);
  EXPECT_LE(common.size(), SimilarLimits::kCandidatesMax);
  EXPECT_GT(common.size(), SimilarLimits::kCandidatesMax / 2);
  const auto found = index.similar(sample.signature, 5);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].id, kMany + 1);
  EXPECT_EQ(found[0].score, 100);
}

// Of very many equal samples the one with the lowest id is found, with limited work.
TEST(SampleIndex, LimitsTheWorkOfASearchByParts) {
  SampleIndex index({.exact = false});
  const std::string common = "abcdefghijklmnopqrstuvwxyz";
  for (std::uint64_t id = 1; id <= 2 * PartLimits::kSourcesPerGramMax; ++id)
    index.load(
        {.id = id, .list = "bad", .name = std::to_string(id), .signature = {}, .parts = common});
  index.load({.id = 100'000,
              .list = "bad",
              .name = "rare",
              .signature = {},
              .parts = common.substr(0, 9) + "RAREPART"});
  index.settle();
  const auto found = index.sharing(common, 100'000);
  ASSERT_EQ(found.size(), PartLimits::kSourcesPerGramMax);
  EXPECT_EQ(found[0].id, 1U);
  EXPECT_EQ(found[0].shared, common.size() - 4);
  const auto rare = index.sharing("RAREPART", 5);
  ASSERT_EQ(rare.size(), 1U);
  EXPECT_EQ(rare[0].id, 100'000U);
  EXPECT_EQ(rare[0].shared, 4U);
  EXPECT_EQ(rare[0].asked, 4U);

  std::string question;  // longer than allowed: only its beginning counts
  SampleSource source(1);
  while (question.size() < 2 * PartLimits::kLettersMax) question += source.next().parts;
  const auto beginning = question.substr(0, PartLimits::kLettersMax);
  EXPECT_EQ(index.sharing(question, 5), index.sharing(beginning, 5));
}

TEST(SampleIndex, KeepsOnlyTheIndicesOfItsOptions) {
  SampleSource source(3);
  SampleIndex none({.exact = false, .parts = false});
  SampleIndex both({});
  std::vector<Sample> samples;
  for (std::uint64_t id = 1; id <= 500; ++id) {
    samples.push_back(source.next());
    samples.back().id = id;
    none.add(samples.back());
    both.add(samples.back());
  }
  for (const Sample& sample : samples) {
    EXPECT_TRUE(none.similar(sample.signature, 10).empty());
    EXPECT_TRUE(none.sharing(sample.parts, 10).empty());
  }
  EXPECT_EQ(none.counts().samples, 500U);
  EXPECT_LT(none.counts().bytes, both.counts().bytes);
}

TEST(SampleIndex, IsSparseIfMostSlotsAreEmpty) {
  SampleIndex index({});
  for (std::uint64_t id = 1; id <= 10'000; ++id)
    index.add({.id = id, .list = "bad", .name = "", .signature = {}, .parts = ""});
  for (std::uint64_t id = 1; id <= 5'000; ++id) EXPECT_TRUE(index.remove(id));
  EXPECT_FALSE(index.is_sparse());
  EXPECT_TRUE(index.remove(5'001));
  EXPECT_FALSE(index.remove(5'001));
  EXPECT_TRUE(index.is_sparse());
}

}  // namespace
}  // namespace shingled::storage::similar
