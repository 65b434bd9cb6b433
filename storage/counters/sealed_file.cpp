#include "storage/counters/sealed_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace shingled::storage::counters {

namespace {

constexpr std::uint64_t kBlocksPerWord = 64;

constexpr std::uint8_t kHasSlots = 1;
constexpr std::uint8_t kHasDays = 2;

}  // namespace

std::uint64_t block_checksum(BytesView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void SealedFooter::write(Bytes& out) const {
  std::array<std::uint8_t, kBytes> bytes{};
  ByteWriter writer(bytes);
  writer.bytes(kMagic);
  writer.u64(rows);
  writer.u64(data_bytes);
  writer.u64(sums_checksum);
  writer.u32(range.slot_first);
  writer.u32(range.slot_last);
  writer.u32(range.day_first);
  writer.u32(range.day_last);
  writer.u8(bucket_bits);
  writer.u8(rice_bits);
  writer.u8(static_cast<std::uint8_t>((range.has_slots ? kHasSlots : 0) |
                                      (range.has_days ? kHasDays : 0)));
  writer.zeros(kBytes - sizeof(std::uint64_t) - writer.written());
  writer.u64(block_checksum(BytesView(bytes).first(writer.written())));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

Result<SealedFooter> SealedFooter::read(const std::array<std::uint8_t, kBytes>& footer_bytes,
                                        std::uint64_t file_bytes) {
  const BytesView bytes = footer_bytes;
  ByteReader reader(bytes);
  const auto magic = reader.array<kMagic.size()>();
  SealedFooter footer;
  footer.rows = reader.u64();
  footer.data_bytes = reader.u64();
  footer.sums_checksum = reader.u64();
  footer.range.slot_first = reader.u32();
  footer.range.slot_last = reader.u32();
  footer.range.day_first = reader.u32();
  footer.range.day_last = reader.u32();
  footer.bucket_bits = reader.u8();
  footer.rice_bits = reader.u8();
  const std::uint8_t has = reader.u8();
  footer.range.has_slots = (has & kHasSlots) != 0;
  footer.range.has_days = (has & kHasDays) != 0;
  ByteReader checksum(bytes.last(sizeof(std::uint64_t)));
  if (magic != kMagic ||
      checksum.u64() != block_checksum(bytes.first(kBytes - sizeof(std::uint64_t))) ||
      footer.bucket_bits > kBucketBitsMax || footer.rice_bits > 63 ||
      footer.data_bytes > file_bytes || footer.file_bytes() != file_bytes)
    return Error{ErrorCode::kCorrupt, "not a file of counters, or damaged at its end"};
  return footer;
}

Result<std::unique_ptr<SealedFile>> SealedFile::open(FileSystem& files, const std::string& name) {
  const auto unreadable = [&] { return Error{ErrorCode::kUnavailable, name + ": cannot be read"}; };
  auto mapped = files.map(name);
  if (!mapped) return mapped.error();
  const BytesView bytes = (*mapped)->bytes();
  std::array<std::uint8_t, SealedFooter::kBytes> end{};
  if (bytes.size() < end.size())
    return Error{ErrorCode::kCorrupt, name + ": too short for a file of counters"};
  if (!read_mapped([&] { std::memcpy(end.data(), bytes.last(end.size()).data(), end.size()); }))
    return unreadable();
  const auto footer = SealedFooter::read(end, bytes.size());
  if (!footer) return footer.error().in(name);
  std::uint64_t sums = 0;
  if (!read_mapped(
          [&] { sums = block_checksum(bytes.subspan(footer->sums_at(), 8 * footer->blocks())); }))
    return unreadable();
  if (sums != footer->sums_checksum)
    return Error{ErrorCode::kCorrupt, name + ": its checksums are damaged"};
  return std::unique_ptr<SealedFile>(new SealedFile(*std::move(mapped), *footer, name));
}

SealedFile::SealedFile(std::unique_ptr<MappedFile> mapped, const SealedFooter& footer,
                       std::string name)
    : mapped_(std::move(mapped)),
      bytes_(mapped_->bytes()),
      footer_(footer),
      name_(std::move(name)),
      code_(footer.range),
      checked_(std::make_unique<std::atomic<std::uint64_t>[]>(  // NOLINT(*-avoid-c-arrays)
          footer.blocks() / kBlocksPerWord + 1)) {}

Status SealedFile::status_of(Fault fault) const {
  switch (fault) {
    case Fault::kNone:
      break;
    case Fault::kCorrupt:
      return Error{ErrorCode::kCorrupt, name_ + ": a checksum is wrong; the file is damaged"};
    case Fault::kUnreadable:
      return Error{ErrorCode::kUnavailable, name_ + ": cannot be read"};
  }
  return {};
}

std::uint64_t SealedFile::number_at(std::uint64_t at, std::size_t size) const {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes_.data() + at, size);
  return number;
}

bool SealedFile::check_block(std::uint64_t block) const {
  const std::uint64_t begin = block * kBlockBytes;
  const std::uint64_t size = std::min<std::uint64_t>(kBlockBytes, footer_.sums_at() - begin);
  return block_checksum(bytes_.subspan(begin, size)) ==
         number_at(footer_.sums_at() + 8 * block, sizeof(std::uint64_t));
}

bool SealedFile::check_blocks(std::uint64_t begin, std::uint64_t end) const {
  for (std::uint64_t block = begin / kBlockBytes; block * kBlockBytes < end; ++block) {
    std::atomic<std::uint64_t>& word = checked_[block / kBlocksPerWord];
    const std::uint64_t bit = 1ULL << block % kBlocksPerWord;
    if ((word.load(std::memory_order_relaxed) & bit) != 0) continue;
    if (!check_block(block)) return false;
    word.fetch_or(bit, std::memory_order_relaxed);
  }
  return true;
}

bool SealedFile::find_bucket(std::uint64_t bucket, BytesView& found) const {
  std::array<std::uint64_t, 2> bounds{};
  for (std::uint64_t i = 0; i < bounds.size(); ++i) {
    const std::uint64_t group_at = footer_.data_bytes + 8 * ((bucket + i) / kGroupBuckets);
    const std::uint64_t offset_at = footer_.offsets_at() + 4 * (bucket + i);
    if (!check_blocks(group_at, group_at + 8) || !check_blocks(offset_at, offset_at + 4))
      return false;
    bounds[i] = number_at(group_at, sizeof(std::uint64_t)) + number_at(offset_at, 4);
  }
  if (bounds[0] > bounds[1] || bounds[1] > footer_.data_bytes) return false;
  found = bytes_.subspan(bounds[0], bounds[1] - bounds[0]);
  return check_blocks(bounds[0], bounds[1]);
}

void SealedFile::prefetch_index(std::uint64_t shingle) const {
  __builtin_prefetch(bytes_.data() + footer_.offsets_at() + 4 * bucket_of(shingle));
}

void SealedFile::prefetch_bucket(std::uint64_t shingle) const {
  const std::uint64_t bucket = bucket_of(shingle);
  std::uint64_t at = 0;
  // Only a hint, so what it reads need not be checked; what is out of bounds is not fetched.
  if (!read_mapped([&] {
        at = number_at(footer_.data_bytes + 8 * (bucket / kGroupBuckets), 8) +
             number_at(footer_.offsets_at() + 4 * bucket, 4);
      }) ||
      at >= footer_.data_bytes)
    return;
  __builtin_prefetch(bytes_.data() + at);
  __builtin_prefetch(bytes_.data() + at + 64);
}

Status SealedFile::verify() const {
  Fault fault = Fault::kNone;
  if (!read_mapped([&] {
        for (std::uint64_t block = 0; block < footer_.blocks(); ++block)
          if (!check_block(block)) fault = Fault::kCorrupt;
      }))
    fault = Fault::kUnreadable;
  return status_of(fault);
}

Result<const Row*> SealedFile::Cursor::next() {
  while (at_ == rows_.size() && bucket_ < file_->footer_.buckets())
    if (Status status = read_bucket(); !status) return status.error();
  if (at_ == rows_.size()) {
    if (taken_ != file_->footer_.rows) return file_->status_of(Fault::kCorrupt).error();
    return nullptr;
  }
  ++taken_;
  return &rows_[at_++];
}

Status SealedFile::Cursor::read_bucket() {
  BytesView found;
  Fault fault = Fault::kNone;
  if (!read_mapped([&] {
        if (!file_->find_bucket(bucket_, found)) fault = Fault::kCorrupt;
      }))
    fault = Fault::kUnreadable;
  if (fault != Fault::kNone) return file_->status_of(fault);
  bytes_.resize(found.size());
  if (!read_mapped([&] { std::memcpy(bytes_.data(), found.data(), found.size()); }))
    return file_->status_of(Fault::kUnreadable);

  BitReader in(bytes_);
  const std::uint64_t rows = in.gamma() - 1;
  // A row takes ten bits at least.
  if (!in.ok() || rows > bytes_.size()) return file_->status_of(Fault::kCorrupt);
  std::optional<CounterKey> before;
  if (!rows_.empty()) before = rows_.back().key;
  rows_.resize(rows);
  at_ = 0;
  std::vector<std::uint64_t> shingles(rows);
  std::uint64_t shingle = file_->first_shingle(bucket_);
  for (std::uint64_t& each : shingles) each = shingle += in.rice(file_->footer_.rice_bits);
  for (std::uint64_t row = 0; row < rows; ++row) {
    rows_[row].key = CounterKey::of(shingles[row], static_cast<std::uint8_t>(in.fixed(kTagBits)));
    if ((before && *before >= rows_[row].key) ||
        find_piece_type(rows_[row].key.tag() >> 1U) == nullptr)
      return file_->status_of(Fault::kCorrupt);
    before = rows_[row].key;
  }
  for (Row& row : rows_) {
    row.entries.clear();
    file_->code_.read(in, [&](const Period& period, const Amounts& amounts) {
      row.entries.push_back({period, amounts});
    });
  }
  ++bucket_;
  return in.ok() ? Status{} : file_->status_of(Fault::kCorrupt);
}

}  // namespace shingled::storage::counters
