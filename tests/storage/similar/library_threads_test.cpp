// Searches and changes at the same time, from several threads and two handles of one file.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "storage/similar/sample_library.h"
#include "tests/storage/similar/all_samples.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::similar {
namespace {

using testing::AllSamples;
using testing::SampleSource;

void expect_equal(const SampleLibrary& library, const AllSamples& all, SampleSource& source) {
  for (int i = 0; i < 100; ++i) {
    const Sample question = source.next();
    EXPECT_EQ(library.similar(question.signature, 1'000), all.similar(question.signature, 1'000));
    EXPECT_EQ(library.sharing(question.parts, 1'000), all.sharing(question.parts, 1'000));
  }
}

// While the index grows, shrinks, is merged and is built again, searches get answers, and samples
// that do not change are found each time.
TEST(SampleLibraryThreads, SearchWhileAnotherThreadChanges) {
  const shingled::testing::TemporaryDirectory folder;
  const LibraryOptions options{.file = folder.file("similar.db")};
  const auto here = SampleLibrary::open(options).value();
  const auto there = SampleLibrary::open(options).value();
  SampleSource source(1);
  AllSamples all;
  std::vector<Sample> fixed;
  for (int i = 0; i < 200; ++i) fixed.push_back(source.next());
  const auto fixed_ids = here->add_batch(fixed).value().ids;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    fixed[i].id = fixed_ids[i];
    all.add(fixed[i]);
  }
  EXPECT_TRUE(there->refresh().value());

  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> searches = 0;
  const auto search = [&](SampleLibrary& library, std::uint64_t seed) {
    SampleSource questions(seed);
    while (!done) {
      const Sample& sample = fixed[questions.pick(fixed.size())];
      const auto found = library.similar(sample.signature, 100'000);
      const int score = fingerprint::spamsum_score(sample.signature, sample.signature);
      const auto is_it = [&](const SimilarMatch& match) {
        return match.id == sample.id && match.score == score && match.name == sample.name;
      };
      EXPECT_TRUE(score == 0 || std::ranges::any_of(found, is_it));
      static_cast<void>(library.sharing(sample.parts, 10));
      static_cast<void>(library.counts());
      EXPECT_TRUE(library.refresh());
      ++searches;
    }
  };
  std::array<std::jthread, 4> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::jthread([&, i] { search(i % 2 == 0 ? *here : *there, i + 100); });
  }

  std::vector<Sample> added;
  for (int round = 0; round < 32; ++round) {
    std::vector<Sample> batch;
    for (std::size_t i = source.pick(60); i > 0; --i) batch.push_back(source.next());
    SampleLibrary& library = round % 3 == 0 ? *there : *here;
    const auto ids = library.add_batch(batch).value().ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      batch[i].id = ids[i];
      added.push_back(batch[i]);
    }
    if (round % 4 != 3) continue;
    std::vector<std::uint64_t> gone;
    while (added.size() > 50) {
      gone.push_back(added.back().id);
      added.pop_back();
    }
    EXPECT_EQ(library.remove(gone).value(), gone.size());
  }
  done = true;
  for (std::jthread& thread : threads) thread.join();
  EXPECT_GT(searches, 0U);

  for (const Sample& sample : added) all.add(sample);
  for (SampleLibrary* library : {here.get(), there.get()}) {
    EXPECT_TRUE(library->refresh());
    EXPECT_EQ(library->counts().samples, all.all().size());
    expect_equal(*library, all, source);
  }
}

// Two threads add the same samples at the same time. Each sample is stored once.
TEST(SampleLibraryThreads, AddTheSameTwice) {
  const shingled::testing::TemporaryDirectory folder;
  const LibraryOptions options{.file = folder.file("similar.db")};
  SampleSource source(2);
  std::vector<Sample> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(source.next());
  std::array<std::vector<std::uint64_t>, 2> ids;
  {
    std::array<std::jthread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      threads[i] = std::jthread([&, i] {
        const auto library = SampleLibrary::open(options).value();
        for (const Sample& sample : samples) ids[i].push_back(library->add(sample).value());
      });
    }
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(SampleLibrary::open(options).value()->counts().samples, samples.size());
}

}  // namespace
}  // namespace shingled::storage::similar
