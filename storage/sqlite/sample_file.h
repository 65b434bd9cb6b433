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
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// The known files on the disk (SCHEMA.md, "Known files"). Several processes may have it open: one
/// at a time changes it, and each can ask what the others did since it looked last. What a change
/// said yes to survives the end of the process and of the machine. A file that root makes belongs
/// to the owner of the folder.
///
/// Errors: those of Database (someone else writing for more than 10 s is kUnavailable); kCorrupt
/// for a file that is not ours, or a row that means nothing; kInvalid for one of a newer version,
/// or of another block size.
/// Threads: one thread at a time.
class SampleFile {
 public:
  struct Options {
    std::string path;
    std::uint64_t part_block_size = 0;
    bool parts = true;  ///< false: the block size does not matter
    bool read_only = false;
  };
  /// How far in the history of the file a reader is.
  struct Position {
    std::uint64_t sample = 0;   ///< id of the newest known
    std::uint64_t removal = 0;  ///< number of the last one heard of
  };
  struct Counts {
    std::uint64_t samples = 0;
    Position newest;
  };
  struct Added {
    std::vector<std::uint64_t> ids;  ///< of the samples, in their order
    std::uint64_t known = 0;         ///< of them were there already
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

  /// In one transaction. A sample whose list, name and signature are there gets
  /// the id that is there; only if that has no parts and the new one has, it takes its place, with
  /// a new id.
  Result<Added> add(std::span<const Sample> samples);
  /// In one transaction; how many there were.
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);

  Result<Counts> counts();
  /// Those that came after `position.sample`, in the order of their ids.
  Status read_after(std::uint64_t id, const std::function<void(const Sample&)>& take);
  /// Ids that went after removal number `number`. Nothing: the file does not reach back so far.
  Result<std::optional<std::vector<std::uint64_t>>> removed_after(std::uint64_t number);
  /// A number that changes when another connection commits. Cheap.
  Result<std::int64_t> data_version();
  /// The next samples of `list` (empty = all) after (list, id), in that order.
  Result<Page> page(std::string_view list, std::string_view after_list, std::uint64_t after_id,
                    std::size_t most);
  /// BEGIN ... COMMIT around reads that must fit together.
  Status begin_reading();
  void end_reading();

 private:
  struct Statements;
  SampleFile(Options options, std::unique_ptr<Database> database);
  Status prepare_statements();
  Status claim_block_size();
  Status add_one(const Sample& sample, Added& added);
  Status insert(const Sample& sample, std::int64_t key);
  Result<bool> drop(std::uint64_t id);  ///< whether there was one
  [[nodiscard]] Result<Sample> sample_of(const Statement& row) const;

  Options options_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;  ///< go before the database
};

}  // namespace shingled::storage::sqlite
