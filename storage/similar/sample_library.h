#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "mime/fingerprint/spamsum.h"
#include "storage/model/sample.h"
#include "storage/similar/sample_index.h"
#include "storage/sqlite/similar/sample_file.h"

namespace shingled::storage::similar {

struct LibraryOptions {
  std::filesystem::path file;
  std::uint64_t part_block_size = 768;  ///< the block size of all `Sample::parts`
  bool exact = true;                    ///< false: `similar` finds nothing and needs no memory
  bool parts = true;                    ///< false: `sharing` finds nothing and needs no memory
  /// False: there is no index, and `open` reads no samples. `similar` and `sharing` find nothing;
  /// `scan` works.
  bool index = true;
  bool read_only = false;
};

/// The library of known files and its index. It finds known files that are similar to some data, or
/// share a part with it.
///
/// When `add` or `remove` has succeeded, the change is on disk. The index in memory shows the
/// content of the file. Changes by other processes appear at the next `refresh`.
///
/// Does not: open containers or sign files (milter/similar does); keep the files themselves, only
/// their names and signatures.
///
/// Errors: those of SampleFile. If a change fails, nothing has changed.
/// Threads: any thread. Searches, `each` and `counts` run at the same time as a change; changes run
/// one after another. Several processes may have the file open.
class SampleLibrary {
 public:
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// Opens or creates the file and reads all samples into the index.
  /// Errors: kInvalid if the file has another `part_block_size`; the text names both.
  static Result<std::unique_ptr<SampleLibrary>> open(LibraryOptions options,
                                                     const Progress& progress = {});

  /// Adds a sample and returns its id. If the file already has a sample with the same list, name
  /// and signature, returns that id. But if only the new sample has parts, it replaces the stored
  /// one and gets a new id.
  /// Errors: kInvalid if the sample is not valid (`check_sample`), kDenied if opened read-only.
  Result<std::uint64_t> add(const Sample& sample);
  /// Adds all samples or none, in one transaction.
  Result<sqlite::SampleFile::Added> add_batch(std::span<const Sample> samples);
  /// Removes samples. Returns how many of them were there.
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);

  /// Calls `visit` with each sample of `list` (empty = all lists), ordered by list, then by id,
  /// until it returns false. `visit` may change the library; samples that it adds may not be
  /// visited.
  Status each(std::string_view list, const std::function<bool(const Sample&)>& visit) const;

  /// The samples with a score of at least 1 in ssdeep's comparison: best score first, then lowest
  /// id, at most `most`.
  [[nodiscard]] std::vector<SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                  std::size_t most) const;
  /// The samples that share n-grams with `parts`: most shared n-grams first, then lowest id, at
  /// most `most`.
  [[nodiscard]] std::vector<PartMatch> sharing(std::string_view parts, std::size_t most) const;

  /// Answers each question as `similar` and `sharing` do, but without an index: reads the whole
  /// file once. For a few questions this is faster than building the index.
  /// Cost: some microseconds per sample.
  Result<std::vector<SampleScan::Answer>> scan(std::span<const SampleScan::Question> questions,
                                               std::size_t most, const Progress& progress = {});

  /// Reads the changes of other processes. Returns whether there were any. It is cheap if there
  /// were none. Returns false at once if another thread is changing the library.
  Result<bool> refresh();
  /// The number of samples in the index, and its memory.
  [[nodiscard]] SampleCounts counts() const;

 private:
  explicit SampleLibrary(LibraryOptions options);
  Status load(const Progress& progress) SHINGLED_REQUIRES(changing_);
  /// Calls `take` with all samples and returns their counts. Call it after `begin_reading`.
  Result<sqlite::SampleFile::Counts> read_all(const std::function<void(const Sample&)>& take,
                                              const Progress& progress)
      SHINGLED_REQUIRES(changing_);
  /// Applies the changes of the file to the index.
  Status catch_up() SHINGLED_REQUIRES(changing_);
  void follow_own_change() SHINGLED_REQUIRES(changing_);
  /// Adds the samples to the index and clears `samples`.
  void add_to_index(std::vector<Sample>& samples) SHINGLED_REQUIRES(changing_);

  const LibraryOptions options_;
  mutable Mutex changing_;  ///< held to use the file, and to change the index
  std::unique_ptr<sqlite::SampleFile> file_ SHINGLED_GUARDED_BY(changing_);
  sqlite::SampleFile::Position position_ SHINGLED_GUARDED_BY(changing_);
  std::int64_t data_version_ SHINGLED_GUARDED_BY(changing_) = 0;
  mutable FairSharedMutex searching_;
  /// To change it, hold `changing_` and lock `searching_` exclusively. To read it, hold one of
  /// them. The analysis of clang cannot express that.
  std::unique_ptr<SampleIndex> index_;
};

}  // namespace shingled::storage::similar
