// Covers storage/similar/sample_index.cpp.
// A scan of all samples gives the answers of the index.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "storage/similar/sample_index.h"
#include "tests/storage/similar/all_samples.h"

namespace shingled::storage::similar {
namespace {

using testing::AllSamples;
using testing::SampleSource;

RC_GTEST_PROP(SampleScanLaw, FindsWhatComparingWithEverythingFinds, ()) {
  SampleSource source(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t most = source.pick(3) == 0 ? source.pick(4) : 1'000;
  std::vector<SampleScan::Question> questions;
  AllSamples all;
  const std::size_t samples = source.pick(80);
  for (std::uint64_t id = 1; id <= samples; ++id) {
    Sample sample = source.next();
    sample.id = id;
    if (source.pick(10) == 0) questions.push_back({sample.signature, sample.parts});
    all.add(sample);
  }
  for (int i = 0; i < 3; ++i) {
    const Sample alike = source.next();
    questions.push_back({alike.signature, alike.parts});
  }

  SampleScan scan(questions, most);
  for (const Sample& sample : all.all()) scan.take(sample);
  const auto answers = scan.answers();
  RC_ASSERT(answers.size() == questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    RC_ASSERT(answers[i].similar == all.similar(questions[i].signature, most));
    RC_ASSERT(answers[i].sharing == all.sharing(questions[i].parts, most));
  }
}

// A gram of very many samples counts only for the first samples, as in the index.
TEST(SampleScan, HasTheLimitsOfTheIndex) {
  const std::string common = "abcdefghijklmnopqrstuvwxyz";
  std::string question = common;
  SampleSource source(1);
  while (question.size() < 2 * PartLimits::kLettersMax) question += source.next().parts;
  const std::array<SampleScan::Question, 2> questions = {{{{}, common}, {{}, question}}};

  SampleScan scan(questions, 100'000);
  SampleIndex index({.exact = false});
  for (std::uint64_t id = 1; id <= 2 * PartLimits::kSourcesPerGramMax; ++id) {
    const Sample sample{.id = id,
                        .list = "bad",
                        .name = std::to_string(id),
                        .signature = {},
                        .parts = common.substr(id % 20)};
    scan.take(sample);
    index.load(sample);
  }
  index.settle();
  const auto answers = scan.answers();
  for (std::size_t i = 0; i < questions.size(); ++i)
    EXPECT_EQ(answers[i].sharing, index.sharing(questions[i].parts, 100'000)) << i;
  EXPECT_LT(answers[1].sharing.size(), answers[0].sharing.size())
      << "with many grams, fewer samples per gram count";
}

}  // namespace
}  // namespace shingled::storage::similar
