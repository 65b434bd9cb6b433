#include "storage/similar/sample_library.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace shingled::storage::similar {

namespace {

constexpr std::uint64_t kProgressEvery = 10'000;
constexpr std::uint64_t kMergeEvery = 1000;
constexpr std::size_t kSamplesAtOnce = 16;  // searches wait while they are added: about 1 ms
constexpr std::size_t kPageSamples = 256;
constexpr std::int64_t kUnknownVersion = -1;  // SQLite never returns it

void merge(SampleIndex& index) {
  while (auto merge = index.next_merge(GramIndex::Which::kFull)) index.apply(*std::move(merge));
}

}  // namespace

Result<std::unique_ptr<SampleLibrary>> SampleLibrary::open(LibraryOptions options,
                                                           const Progress& progress) {
  std::unique_ptr<SampleLibrary> library(new SampleLibrary(std::move(options)));
  auto file = sqlite::SampleFile::open({.path = library->options_.file.string(),
                                        .part_block_size = library->options_.part_block_size,
                                        .parts = library->options_.parts,
                                        .read_only = library->options_.read_only});
  if (!file) return file.error();
  const MutexLock changing(library->changing_);
  library->file_ = *std::move(file);
  const auto version = library->file_->data_version();
  if (!version) return version.error();
  library->data_version_ = *version;
  if (library->options_.index) {
    if (Status loaded = library->load(progress); !loaded) return loaded.error();
  }
  return library;
}

SampleLibrary::SampleLibrary(LibraryOptions options)
    : options_(std::move(options)),
      index_(std::make_unique<SampleIndex>(SampleIndex::Options{.exact = false, .parts = false})) {}

Status SampleLibrary::load(const Progress& progress) {
  if (Status begun = file_->begin_reading(); !begun) return begun;
  auto index = std::make_unique<SampleIndex>(
      SampleIndex::Options{.exact = options_.exact, .parts = options_.parts});
  std::uint64_t done = 0;
  const auto counts = read_all(
      [&](const Sample& sample) {
        index->load(sample);
        if (++done % kMergeEvery == 0) merge(*index);
      },
      progress);
  file_->end_reading();
  if (!counts) return counts.error();
  index->settle();
  position_ = counts->newest;
  const std::unique_lock alone(searching_);
  index_.swap(index);
  return {};
}

Result<sqlite::SampleFile::Counts> SampleLibrary::read_all(
    const std::function<void(const Sample&)>& take, const Progress& progress) {
  auto counts = file_->counts();
  if (!counts) return counts;
  std::uint64_t done = 0;
  const Status read = file_->read_after(0, [&](const Sample& sample) {
    take(sample);
    if (++done % kProgressEvery == 0 && progress) progress(done, counts->samples);
  });
  if (!read) return read.error();
  if (progress) progress(counts->samples, counts->samples);
  return counts;
}

Result<std::vector<SampleScan::Answer>> SampleLibrary::scan(
    std::span<const SampleScan::Question> questions, std::size_t most, const Progress& progress) {
  const MutexLock changing(changing_);
  if (Status begun = file_->begin_reading(); !begun) return begun.error();
  SampleScan scan(questions, most);
  const auto counts = read_all([&](const Sample& sample) { scan.take(sample); }, progress);
  file_->end_reading();
  if (!counts) return counts.error();
  return scan.answers();
}

Result<std::uint64_t> SampleLibrary::add(const Sample& sample) {
  const auto added = add_batch({&sample, 1});
  if (!added) return added.error();
  return added->ids.front();
}

Result<sqlite::SampleFile::Added> SampleLibrary::add_batch(std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    if (Status good = check_sample(sample); !good) return good.error();
  }
  const MutexLock changing(changing_);
  auto added = file_->add(samples);
  if (added) follow_own_change();
  return added;
}

Result<std::uint64_t> SampleLibrary::remove(std::span<const std::uint64_t> ids) {
  const MutexLock changing(changing_);
  auto count = file_->remove(ids);
  if (!count) return count;
  follow_own_change();
  return count;
}

void SampleLibrary::follow_own_change() {
  // The change is on disk, so it succeeded. If reading it back fails, the next refresh tries again.
  if (Status done = catch_up(); !done) data_version_ = kUnknownVersion;
}

Status SampleLibrary::catch_up() {
  if (!options_.index) return {};
  if (Status begun = file_->begin_reading(); !begun) return begun;
  auto removed = file_->removed_after(position_.removal);
  Status outcome;
  if (removed && removed->has_value()) {
    std::vector<Sample> added;
    const auto take = [&](const Sample& sample) SHINGLED_REQUIRES(changing_) {
      added.push_back(sample);
      if (added.size() == kSamplesAtOnce) add_to_index(added);
    };
    outcome = file_->read_after(position_.sample, take);
    add_to_index(added);
  }
  file_->end_reading();
  if (!outcome) return outcome;
  if (!removed) return removed.error();
  if (!removed->has_value()) return load({});
  {
    const std::unique_lock alone(searching_);
    for (const std::uint64_t id : **removed) index_->remove(id);
  }
  position_.removal += (*removed)->size();
  return index_->is_sparse() ? load({}) : Status();
}

void SampleLibrary::add_to_index(std::vector<Sample>& samples) {
  if (samples.empty()) return;
  {
    const std::unique_lock alone(searching_);
    for (const Sample& sample : samples) index_->add(sample);
  }
  position_.sample = samples.back().id;
  samples.clear();
  while (auto merge = index_->next_merge(GramIndex::Which::kFull)) {
    const std::unique_lock alone(searching_);
    index_->apply(*std::move(merge));
  }
}

Result<bool> SampleLibrary::refresh() {
  if (!changing_.try_lock()) return false;
  const MutexLock changing(changing_, std::adopt_lock);
  const auto version = file_->data_version();
  if (!version) return version.error();
  if (*version == data_version_) return false;
  if (Status done = catch_up(); !done) return done.error();
  data_version_ = *version;
  return true;
}

Status SampleLibrary::each(std::string_view list,
                           const std::function<bool(const Sample&)>& visit) const {
  std::string after_list;
  std::uint64_t after_id = 0;
  for (;;) {
    auto page = [&] {
      const MutexLock changing(changing_);
      return file_->page(list, after_list, after_id, kPageSamples);
    }();
    if (!page) return page.error();
    for (const Sample& sample : page->samples) {
      if (!visit(sample)) return {};
    }
    if (page->last) return {};
    after_list = page->samples.back().list;
    after_id = page->samples.back().id;
  }
}

std::vector<SimilarMatch> SampleLibrary::similar(const fingerprint::Spamsum& signature,
                                                 std::size_t most) const {
  const std::shared_lock together(searching_);
  return index_->similar(signature, most);
}

std::vector<PartMatch> SampleLibrary::sharing(std::string_view parts, std::size_t most) const {
  const std::shared_lock together(searching_);
  return index_->sharing(parts, most);
}

SampleCounts SampleLibrary::counts() const {
  const std::shared_lock together(searching_);
  return index_->counts();
}

}  // namespace shingled::storage::similar
