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

#include "config/base/fair_shared_mutex.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "mime/fingerprint/spamsum.h"
#include "storage/model/sample.h"
#include "storage/similar/sample_index.h"
#include "storage/similar/sample_scan.h"
#include "storage/sqlite/sample_file.h"

namespace shingled::storage::similar {

struct LibraryOptions {
  std::filesystem::path file;
  std::uint64_t part_block_size = 768;  ///< that all `Sample::parts` are made with
  bool exact = true;                    ///< false: `similar` finds nothing and takes no memory
  bool parts = true;                    ///< false: `sharing` finds nothing and takes no memory
  /// False: no index, opening reads nothing; `similar` and `sharing` find nothing, `scan` does.
  bool index = true;
  bool read_only = false;
};

/// Known files and their index: which of them is this data, or a part of it, like?
///
/// What `add` and `remove` said yes to is on the disk; the index in memory shows what the file
/// holds, as of the last `refresh` where other processes change it.
///
/// Errors: those of SampleFile. A change that failed has changed nothing.
/// Threads: searches, `each` and `counts` from any thread, at the same time and beside a change;
/// changes come one at a time by themselves. Several processes may have the file open.
class SampleLibrary {
 public:
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// Opens or makes the file, and reads all of it into the index. With another `part_block_size`
  /// than the file has: kInvalid, naming both.
  static Result<std::unique_ptr<SampleLibrary>> open(LibraryOptions options,
                                                     const Progress& progress = {});

  /// The id. A sample whose list, name and signature are there already gets the id that is there
  /// (but if that has no parts and this one has, it takes its place, with a new id).
  /// Errors: kInvalid for one that no Sample may be, kDenied where opened read-only.
  Result<std::uint64_t> add(const Sample& sample);
  /// All of them or none, in one transaction.
  Result<sqlite::SampleFile::Added> add_batch(std::span<const Sample> samples);
  /// How many there were.
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);

  /// All samples of `list` (empty = of all lists), in the order of lists, then of ids, until
  /// `visit` returns false. `visit` may change the library: what is added meanwhile may be missing.
  Status each(std::string_view list, const std::function<bool(const Sample&)>& visit) const;

  /// The samples that ssdeep's comparison gives at least 1, all there are: best score first, then
  /// lowest id, at most `most`.
  [[nodiscard]] std::vector<SimilarMatch> similar(const fingerprint::Spamsum& signature,
                                                  std::size_t most) const;
  /// The samples that share n-grams of `parts`: most of them first, then lowest id, at most `most`.
  [[nodiscard]] std::vector<PartMatch> sharing(std::string_view parts, std::size_t most) const;

  /// What `similar` and `sharing` would say of each question, without an index: reads all of the
  /// file once, for a few questions the quicker way.
  /// Cost: some microseconds a sample.
  Result<std::vector<SampleScan::Answer>> scan(std::span<const SampleScan::Question> questions,
                                               std::size_t most, const Progress& progress = {});

  /// Takes in what other processes have changed; whether there was something. Cheap when there was
  /// nothing. While another thread is at a change: false at once.
  Result<bool> refresh();
  /// Of the index.
  [[nodiscard]] SampleCounts counts() const;

 private:
  explicit SampleLibrary(LibraryOptions options);
  Status load(const Progress& progress) SHINGLED_REQUIRES(changing_);
  /// Hands all samples to `take`, and says how many there are. Within begin_reading.
  Result<sqlite::SampleFile::Counts> read_all(const std::function<void(const Sample&)>& take,
                                              const Progress& progress)
      SHINGLED_REQUIRES(changing_);
  /// Brings the index to where the file is.
  Status catch_up() SHINGLED_REQUIRES(changing_);
  void follow_own_change() SHINGLED_REQUIRES(changing_);
  /// Puts the samples into the index, and forgets them.
  void take_in(std::vector<Sample>& samples) SHINGLED_REQUIRES(changing_);

  const LibraryOptions options_;
  mutable Mutex changing_;  ///< held to use the file, and to change the index
  std::unique_ptr<sqlite::SampleFile> file_ SHINGLED_GUARDED_BY(changing_);
  sqlite::SampleFile::Position position_ SHINGLED_GUARDED_BY(changing_);
  std::int64_t data_version_ SHINGLED_GUARDED_BY(changing_) = 0;
  mutable FairSharedMutex searching_;
  /// Changed with `changing_` and `searching_` (alone), read with one of them: the analysis has no
  /// word for that.
  std::unique_ptr<SampleIndex> index_;
};

}  // namespace shingled::storage::similar
