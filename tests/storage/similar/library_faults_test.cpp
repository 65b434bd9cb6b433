// Acknowledged changes are kept, after kill -9 and on a full disk.
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>

#include "storage/similar/sample_library.h"
#include "tests/storage/similar/all_samples.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::similar {
namespace {

using testing::SampleSource;

std::vector<Sample> all_of(const SampleLibrary& library) {
  std::vector<Sample> out;
  EXPECT_TRUE(library.each("", [&](const Sample& sample) {
    out.push_back(sample);
    return true;
  }));
  return out;
}

std::set<std::uint64_t> ids_of(const SampleLibrary& library) {
  std::set<std::uint64_t> out;
  for (const Sample& sample : all_of(library)) out.insert(sample.id);
  return out;
}

/// Expects that each sample of the file is found, and no other one.
void expect_sound(const SampleLibrary& library) {
  const std::vector<Sample> all = all_of(library);
  EXPECT_EQ(library.counts().samples, all.size());
  for (const Sample& sample : all) {
    const auto found = library.similar(sample.signature, 100'000);
    const auto is_it = [&](const SimilarMatch& match) { return match.id == sample.id; };
    EXPECT_TRUE(std::ranges::any_of(found, is_it) ||
                fingerprint::spamsum_score(sample.signature, sample.signature) == 0)
        << sample.name;
  }
}

/// Adds and removes samples without end, and logs each acknowledged change.
[[noreturn]] void change_until_killed(const std::string& path, std::uint64_t seed, int out) {
  auto library = SampleLibrary::open({.file = path});
  if (!library) ::_exit(1);
  SampleSource source(seed);
  std::vector<std::uint64_t> ids;
  for (;;) {
    std::vector<Sample> batch;
    for (std::size_t i = 0; i < 1 + seed % 5; ++i) {
      batch.push_back(source.next());
      batch.back().name += " of " + std::to_string(seed);
    }
    const auto added = (*library)->add_batch(batch);
    if (!added) ::_exit(1);
    for (const std::uint64_t id : added->ids) {
      const auto note = static_cast<std::int64_t>(id);
      if (::write(out, &note, sizeof note) != sizeof note) ::_exit(1);
      ids.push_back(id);
    }
    if (ids.size() % 3 != 0) continue;
    const std::uint64_t gone = ids[source.pick(ids.size())];
    // The begin of a change is logged, too. Only a change without an end in the log is uncertain.
    const auto begun = -static_cast<std::int64_t>(gone);
    if (::write(out, &begun, sizeof begun) != sizeof begun) ::_exit(1);
    if (!(*library)->remove(std::array{gone})) ::_exit(1);
  }
}

TEST(SampleLibraryFaults, KeepsAcknowledgedChangesWhenKilled) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string path = folder.file("similar.db");
  std::set<std::uint64_t> sure;
  for (std::uint64_t round = 0; round < 8; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) change_until_killed(path, round, ends[1]);
    ::close(ends[1]);
    std::int64_t note = 0;
    const std::uint64_t notes = 10 + round * 7;
    for (std::uint64_t read = 0; ::read(ends[0], &note, sizeof note) == sizeof note; ++read) {
      if (read == notes) ::kill(child, SIGKILL);
      const auto id = static_cast<std::uint64_t>(note > 0 ? note : -note);
      if (note > 0) {
        sure.insert(id);
      } else {
        sure.erase(id);
      }
    }
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the process ended by itself";

    const auto library = SampleLibrary::open({.file = path});
    ASSERT_TRUE(library) << library.error().message;
    const std::set<std::uint64_t> there = ids_of(**library);
    EXPECT_TRUE(std::ranges::includes(there, sure)) << "round " << round;
    expect_sound(**library);
    std::set<std::uint64_t> more;
    std::ranges::set_difference(there, sure, std::inserter(more, more.end()));
    // Changes that were written but not acknowledged: one batch of the round, or one removal.
    EXPECT_LE(more.size(), 5U + 1U) << "round " << round;
    sure = there;
  }
  EXPECT_GT(sure.size(), 100U);
}

TEST(SampleLibraryFaults, ChangesNothingWhenTheDiskIsFull) {
  for (const int fault : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    std::uint64_t failed = 0;
    for (int writes = 0; writes < 40; writes += 3) {
      const shingled::testing::TemporaryDirectory folder;
      sqlite::FaultyVfs disk;
      const std::string path = folder.file("similar.db");
      auto library = SampleLibrary::open({.file = path}).value();
      SampleSource source(static_cast<std::uint64_t>(writes));
      std::set<std::uint64_t> sure;
      disk.fail_after(writes, fault);
      for (int i = 0; i < 12; ++i) {
        const auto id = library->add(source.next());
        if (id) {
          sure.insert(*id);
          continue;
        }
        ++failed;
        EXPECT_EQ(id.error().code, ErrorCode::kUnavailable) << id.error().message;
        EXPECT_THAT(id.error().message, ::testing::HasSubstr(path));
      }
      expect_sound(*library);
      disk.heal();
      EXPECT_EQ(ids_of(*library), sure);
      const auto next = library->add(source.next());
      ASSERT_TRUE(next) << "it must work again: " << next.error().message;
      sure.insert(*next);
      library.reset();
      library = SampleLibrary::open({.file = path}).value();
      EXPECT_EQ(ids_of(*library), sure);
      expect_sound(*library);
    }
    EXPECT_GT(failed, 50U) << "the disk did fail";
  }
}

TEST(SampleLibraryFaults, SaysWhenTheFileIsDamaged) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string sound = folder.file("sound.db");
  {
    SampleSource source(1);
    std::vector<Sample> samples;
    for (int i = 0; i < 2'000; ++i) samples.push_back(source.next());
    ASSERT_TRUE(SampleLibrary::open({.file = sound}).value()->add_batch(samples));
  }
  const auto size = std::filesystem::file_size(sound);
  const struct {
    const char* why;
    std::uintmax_t begin;
    std::uintmax_t end;
  } cases[] = {
      {"its first page", 0, 4'096},
      {"pages in the middle", size / 4, size * 3 / 4},
      {"all but the first page", 4'096, size},
  };
  for (const auto& c : cases) {
    const std::string path = folder.file("damaged.db");
    std::filesystem::copy_file(sound, path, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(c.begin));
      file << std::string(c.end - c.begin, '\x5a');
    }
    const auto library = SampleLibrary::open({.file = path});
    ASSERT_FALSE(library) << c.why;
    EXPECT_EQ(library.error().code, ErrorCode::kCorrupt) << c.why << library.error().message;
    EXPECT_THAT(library.error().message, ::testing::HasSubstr(path)) << c.why;
  }
}

TEST(SampleLibraryFaults, LoadsEverythingAgainAfterTooManyRemovals) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string path = folder.file("similar.db");
  const auto here = SampleLibrary::open({.file = path}).value();
  const auto there = SampleLibrary::open({.file = path}).value();
  SampleSource source(5);
  std::vector<Sample> samples;  // more than the removals that the file remembers
  for (int i = 0; i < 21'000; ++i)
    samples.push_back({.list = "bad", .name = std::to_string(i), .signature = {}, .parts = ""});
  const auto ids = there->add_batch(samples).value().ids;
  EXPECT_TRUE(here->refresh().value());
  EXPECT_EQ(there->remove(ids).value(), ids.size());
  const Sample last = source.next();
  const std::uint64_t id = there->add(last).value();
  EXPECT_EQ(here->counts().samples, ids.size());
  EXPECT_TRUE(here->refresh().value());
  EXPECT_EQ(here->counts().samples, 1U);
  EXPECT_EQ(ids_of(*here), std::set<std::uint64_t>{id});
  expect_sound(*here);
}

}  // namespace
}  // namespace shingled::storage::similar
