#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/model/sample.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// The samples of known files on disk (SCHEMA.md, "Known files"). Several processes may have it
/// open: one at a time changes it, and each can ask what the others have changed since it last
/// looked. A change that succeeded survives the end of the process and a crash of the machine. A
/// file that root creates belongs to the owner of the folder.
///
/// Errors: those of Database (another process that writes for more than 10 s is kUnavailable);
/// kCorrupt for a file of another kind, or a row that is not valid; kInvalid for a file of a newer
/// version, or of another block size.
/// Threads: one thread at a time.
class SampleFile {
 public:
  struct Options {
    std::string path;
    std::uint64_t part_block_size = 0;
    bool parts = true;  ///< false: the block size does not matter
    bool read_only = false;
  };
  /// The position of a reader in the history of the file.
  struct Position {
    std::uint64_t sample = 0;   ///< id of the newest sample that the reader knows
    std::uint64_t removal = 0;  ///< number of the last removal that it knows
  };
  struct Counts {
    std::uint64_t samples = 0;
    Position newest;
  };
  struct Added {
    std::vector<std::uint64_t> ids;  ///< of the samples, in the order given
    std::uint64_t known = 0;         ///< how many of them were there already
  };
  struct Page {
    std::vector<Sample> samples;
    bool last = false;
  };

  static Result<std::unique_ptr<SampleFile>> open(const Options& options);
  ~SampleFile();
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  SampleFile(SampleFile&&) = delete;
  SampleFile& operator=(SampleFile&&) = delete;

  /// Adds samples in one transaction. If a sample with the same list, name and signature is there,
  /// its id is returned. Only if that one has no parts and the new one has some, the new one
  /// replaces it, with a new id.
  Result<Added> add(std::span<const Sample> samples);
  /// Removes samples in one transaction. Returns how many of them were there.
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);

  Result<Counts> counts();
  /// Calls `take` for the samples with a higher id than `id`, in the order of their ids.
  Status read_after(std::uint64_t id, const std::function<void(const Sample&)>& take);
  /// The ids of the samples that were removed after removal number `number`. nullopt if the file
  /// does not remember removals that old.
  Result<std::optional<std::vector<std::uint64_t>>> removed_after(std::uint64_t number);
  /// A number that changes when another connection commits. Cheap to ask.
  Result<std::int64_t> data_version();
  /// The next samples of `list` (empty = all lists) after (after_list, after_id), ordered by list
  /// and id.
  Result<Page> page(std::string_view list, std::string_view after_list, std::uint64_t after_id,
                    std::size_t most);
  /// BEGIN ... COMMIT around reads that must see the same moment.
  Status begin_reading();
  void end_reading();

 private:
  struct Statements;
  SampleFile(Options options, std::unique_ptr<Database> database);
  Status prepare_statements();
  Status claim_block_size();
  Status add_one(const Sample& sample, Added& added);
  Status insert(const Sample& sample, std::int64_t key);
  Result<bool> drop(std::uint64_t id);  ///< whether the sample was there
  [[nodiscard]] Result<Sample> sample_of(const Statement& row) const;

  Options options_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;  ///< destroyed before the database
};

}  // namespace shingled::storage::sqlite
