#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "config/system/mapped_read.h"
#include "storage/counters/sealed/prefix_code.h"
#include "storage/counters/sealed/row_code.h"
#include "storage/counters/sealed/unique_doubts.h"

namespace shingled::storage::counters {

inline constexpr std::size_t kBlockBytes = 4096;
/// Buckets have an offset of 16 or 32 bits from the first bucket of their group, and groups one of
/// 64.
inline constexpr std::uint64_t kGroupBuckets = 64;

/// What the end of a sealed file says about it (COUNTERS.md section 5).
struct SealedFooter {
  static constexpr std::size_t kBytes = 96;
  static constexpr std::array<std::uint8_t, 8> kMagic = {'s', 'h', 'g', 'c', 'n', 't', '0', '1'};
  static constexpr unsigned kBucketBitsMax = 40;
  static constexpr std::uint8_t kShortOffset = 2;
  static constexpr std::uint8_t kLongOffset = 4;  ///< some group has more than 65535 bytes

  std::uint64_t rows = 0;
  std::uint64_t data_bytes = 0;  ///< of all buckets, filled up to 8; after them is their index
  std::uint8_t bucket_bits = 0;  ///< the upper bits of a shingle are the number of its bucket
  std::uint8_t rice_bits = 0;    ///< of the distances of shingles
  std::uint8_t offset_bytes = kShortOffset;
  PeriodRange range;

  std::uint64_t sums_checksum = 0;  ///< of the checksums of all blocks

  [[nodiscard]] std::uint64_t buckets() const { return 1ULL << bucket_bits; }
  [[nodiscard]] std::uint64_t groups() const { return buckets() / kGroupBuckets + 1; }
  [[nodiscard]] std::uint64_t offsets_at() const { return data_bytes + 8 * groups(); }
  // Where the index has the beginning of a bucket's group, and that of the bucket in its group.
  [[nodiscard]] std::uint64_t group_at(std::uint64_t bucket) const {
    return data_bytes + 8 * (bucket / kGroupBuckets);
  }
  [[nodiscard]] std::uint64_t offset_at(std::uint64_t bucket) const {
    return offsets_at() + offset_bytes * bucket;
  }
  [[nodiscard]] std::uint64_t codes_at() const {
    return offsets_at() + offset_bytes * (buckets() + 1);
  }
  /// Bytes of the codes: half a byte for each symbol.
  [[nodiscard]] std::uint64_t codes_bytes() const;
  [[nodiscard]] std::uint64_t sums_at() const { return (codes_at() + codes_bytes() + 7) / 8 * 8; }
  /// Blocks before `sums_at`, each with a checksum; the last one may be short.
  [[nodiscard]] std::uint64_t blocks() const { return (sums_at() + kBlockBytes - 1) / kBlockBytes; }
  [[nodiscard]] std::uint64_t file_bytes() const { return sums_at() + 8 * blocks() + kBytes; }

  void write(Bytes& out) const;
  /// `file_bytes`: the size of the whole file.
  /// Errors: kCorrupt.
  static Result<SealedFooter> read(const std::array<std::uint8_t, kBytes>& footer_bytes,
                                   std::uint64_t file_bytes);
  friend bool operator==(const SealedFooter&, const SealedFooter&) = default;
};

/// Rows of one file, sorted by key, that never change.
///
/// Shingles are keyed hashes and so spread evenly: the upper bits of a shingle are the number of a
/// bucket of about 12 rows, whose offset is in a table. A look-up touches the table and the bucket
/// and needs no filter: a bucket is a few cache lines, and a search in it ends after half of the
/// shingles.
///
/// A block is checked against its checksum when it is first looked at.
/// Threads: any thread.
/// Cost:    two cache misses and about 50 ns a look-up.
class SealedFile {
 public:
  /// Errors: those of FileSystem; kCorrupt if the footer is damaged or the size is wrong.
  static Result<std::unique_ptr<SealedFile>> open(FileSystem& files, const std::string& name);

  [[nodiscard]] const SealedFooter& footer() const { return footer_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.size(); }

  // For many look-ups at once: begin them all, then finish them, so that the memory fetches the
  // next one meanwhile.
  void prefetch_index(std::span<const CounterKey> keys) const;
  void prefetch_buckets(std::span<const CounterKey> keys) const;

  /// Calls `take(period, amounts)` for each entry of the counter. `take` must not own or allocate
  /// anything (read_mapped).
  /// Errors: kCorrupt (a checksum is wrong), kUnavailable (the disk). What was taken by then is to
  /// be thrown away.
  template <typename Take>
  Status find(const CounterKey& key, const Take& take) const;

  /// All rows in order.
  /// Threads: one thread.
  class Cursor {
   public:
    explicit Cursor(const SealedFile& file) : file_(&file) {}
    /// Passes over what is damaged and puts to `lost` which shingles that were.
    Cursor(const SealedFile& file, std::vector<ShingleRange>* lost) : file_(&file), lost_(lost) {}
    /// The next row; nullptr at the end. The row is valid until the next call.
    /// Errors: as find; also kCorrupt if rows are not in order or not as many as the footer says.
    Result<const Row*> next();

   private:
    Status read_bucket();
    Status decode_bucket();
    void pass_over();

    const SealedFile* file_;
    std::vector<ShingleRange>* lost_ = nullptr;
    std::uint64_t bucket_ = 0;
    Bytes bytes_;
    std::vector<Row> rows_;
    std::size_t at_ = 0;
    std::uint64_t taken_ = 0;
  };

  /// Compares every checksum, also of blocks that were checked before.
  /// Errors: as find.
  [[nodiscard]] Status verify() const;

 private:
  enum class Fault : std::uint8_t { kNone, kCorrupt, kUnreadable };

  SealedFile(std::unique_ptr<MappedFile> mapped, const SealedFooter& footer, RowCode code,
             std::string name);
  [[nodiscard]] std::uint64_t bucket_of(std::uint64_t shingle) const {
    return footer_.bucket_bits == 0 ? 0 : shingle >> (64U - footer_.bucket_bits);
  }
  [[nodiscard]] std::uint64_t last_shingle(std::uint64_t bucket) const {
    return bucket + 1 == footer_.buckets() ? std::numeric_limits<std::uint64_t>::max()
                                           : first_shingle(bucket + 1) - 1;
  }
  /// The lower end of a bucket's shingles.
  [[nodiscard]] std::uint64_t first_shingle(std::uint64_t bucket) const {
    return footer_.bucket_bits == 0 ? 0 : bucket << (64U - footer_.bucket_bits);
  }
  [[nodiscard]] Status status_of(Fault fault) const;

  // These look at mapped bytes, so they run below read_mapped.
  template <typename Take>
  Fault look_up(const CounterKey& key, const Take& take) const;
  bool find_bucket(std::uint64_t bucket, BytesView& found) const;
  [[nodiscard]] bool check_blocks(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool check_block(std::uint64_t block) const;
  /// Where a bucket begins, as the index says.
  [[nodiscard]] std::uint64_t bucket_at(std::uint64_t bucket) const;
  template <typename Number>
  [[nodiscard]] Number number_at(std::uint64_t at) const {
    Number number = 0;
    std::memcpy(&number, bytes_.data() + at, sizeof number);
    return number;
  }
  /// After a bucket there are others, and after the last one the index.
  [[nodiscard]] std::size_t readable_from(BytesView part) const {
    return static_cast<std::size_t>(bytes_.data() + bytes_.size() - part.data());
  }

  std::unique_ptr<MappedFile> mapped_;
  BytesView bytes_;
  const SealedFooter footer_;
  const std::string name_;
  const RowCode code_;
  /// A bit for each block that was found right.
  std::unique_ptr<std::atomic<std::uint64_t>[]> checked_;  // NOLINT(*-avoid-c-arrays)
};

template <typename Take>
Status SealedFile::find(const CounterKey& key, const Take& take) const {
  Fault fault = Fault::kUnreadable;
  if (!read_mapped([&] { fault = look_up(key, take); })) fault = Fault::kUnreadable;
  return status_of(fault);
}

template <typename Take>
SealedFile::Fault SealedFile::look_up(const CounterKey& key, const Take& take) const {
  if (footer_.rows == 0) return Fault::kNone;
  const std::uint64_t bucket = bucket_of(key.shingle);
  BytesView bytes;
  if (!find_bucket(bucket, bytes)) return Fault::kCorrupt;
  BitReader in(bytes, readable_from(bytes));
  const std::uint64_t rows = in.gamma() - 1;
  std::uint64_t shingle = first_shingle(bucket);
  std::uint64_t begin = rows;  // of the rows with this shingle
  std::uint64_t end = rows;
  for (std::uint64_t row = 0; row < rows && in.ok(); ++row) {
    shingle += in.rice(footer_.rice_bits);
    if (shingle == key.shingle && begin == rows) begin = row;
    if (shingle > key.shingle) {
      if (begin == rows) return Fault::kNone;
      if (end == rows) end = row;
    }
  }
  std::uint64_t found = rows;
  for (std::uint64_t row = 0; row < rows && in.ok(); ++row) {
    const std::uint8_t tag = code_.read_tag(in);
    if (row >= begin && row < end && tag == key.tag()) found = row;
  }
  if (found < rows) {
    for (std::uint64_t row = 0; row < found && in.ok(); ++row) code_.skip(in);
    code_.read(in, take);
  }
  return in.ok() ? Fault::kNone : Fault::kCorrupt;
}

}  // namespace shingled::storage::counters
