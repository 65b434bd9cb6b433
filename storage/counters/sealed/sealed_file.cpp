#include "storage/counters/sealed/sealed_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "config/base/prefetch.h"
#include "storage/log/record_log.h"

namespace shingled::storage::counters {

namespace {

constexpr std::uint64_t kBlocksPerWord = 64;

constexpr std::uint8_t kHasSlots = 1;
constexpr std::uint8_t kHasDays = 2;

/// A code has half a byte for each symbol and for the escape; that of no symbols has nothing.
std::uint64_t code_bytes(std::size_t symbols) { return symbols == 0 ? 0 : (symbols + 2) / 2; }

bool block_is_right(BytesView file, const SealedFooter& footer, std::uint64_t block) {
  const std::uint64_t begin = block * kBlockBytes;
  const std::uint64_t size = std::min<std::uint64_t>(kBlockBytes, footer.sums_at() - begin);
  std::uint64_t expected = 0;
  std::memcpy(&expected, file.data() + footer.sums_at() + 8 * block, sizeof expected);
  return log::checksum(file.subspan(begin, size)) == expected;
}

bool blocks_are_right(BytesView file, const SealedFooter& footer, std::uint64_t begin,
                      std::uint64_t end) {
  for (std::uint64_t block = begin / kBlockBytes; block * kBlockBytes < end; ++block)
    if (!block_is_right(file, footer, block)) return false;
  return true;
}

/// Takes a code of so many symbols off the front.
std::optional<PrefixCode> take_code(BytesView& bytes, std::size_t symbols) {
  if (symbols == 0) return PrefixCode{};
  std::vector<std::uint8_t> lengths(symbols + 1);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = static_cast<std::uint8_t>(bytes[i / 2] >> 4 * (i % 2) & 15U);
  bytes = bytes.subspan(code_bytes(symbols));
  return PrefixCode::of_lengths(std::move(lengths));
}

std::optional<RowCodes> read_codes(BytesView bytes, const PeriodRange& range) {
  const RowCode::Symbols symbols = RowCode::symbols(range);
  auto tags = take_code(bytes, symbols.tags);
  auto heads = take_code(bytes, symbols.heads);
  auto periods = take_code(bytes, symbols.periods);
  if (!tags || !heads || !periods) return std::nullopt;
  return RowCodes{*std::move(tags), *std::move(heads), *std::move(periods)};
}

}  // namespace

std::uint64_t SealedFooter::codes_bytes() const {
  const RowCode::Symbols symbols = RowCode::symbols(range);
  std::uint64_t bytes = 0;
  for (const std::size_t count : {symbols.tags, symbols.heads, symbols.periods})
    bytes += code_bytes(count);
  return bytes;
}

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
  writer.u8(offset_bytes);
  writer.zeros(kBytes - sizeof(std::uint64_t) - writer.written());
  writer.u64(log::checksum(BytesView(bytes).first(writer.written())));
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
  footer.offset_bytes = reader.u8();
  footer.range.has_slots = (has & kHasSlots) != 0;
  footer.range.has_days = (has & kHasDays) != 0;
  ByteReader checksum(bytes.last(sizeof(std::uint64_t)));
  if (magic != kMagic ||
      checksum.u64() != log::checksum(bytes.first(kBytes - sizeof(std::uint64_t))) ||
      footer.bucket_bits > kBucketBitsMax || footer.rice_bits > 63 ||
      (footer.offset_bytes != kShortOffset && footer.offset_bytes != kLongOffset) ||
      footer.range.slot_first > footer.range.slot_last ||
      footer.range.day_first > footer.range.day_last || footer.data_bytes > file_bytes ||
      footer.file_bytes() != file_bytes)
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
          [&] { sums = log::checksum(bytes.subspan(footer->sums_at(), 8 * footer->blocks())); }))
    return unreadable();
  if (sums != footer->sums_checksum)
    return Error{ErrorCode::kCorrupt, name + ": its checksums are damaged"};
  Bytes code_lengths(footer->codes_bytes());
  bool is_right = true;
  if (!read_mapped([&] {
        is_right = blocks_are_right(bytes, *footer, footer->codes_at(),
                                    footer->codes_at() + code_lengths.size());
        std::memcpy(code_lengths.data(), bytes.data() + footer->codes_at(), code_lengths.size());
      }))
    return unreadable();
  auto codes = read_codes(code_lengths, footer->range);
  if (!is_right || !codes) return Error{ErrorCode::kCorrupt, name + ": its codes are damaged"};
  return std::unique_ptr<SealedFile>(
      new SealedFile(*std::move(mapped), *footer, RowCode(footer->range, *std::move(codes)), name));
}

SealedFile::SealedFile(std::unique_ptr<MappedFile> mapped, const SealedFooter& footer, RowCode code,
                       std::string name)
    : mapped_(std::move(mapped)),
      bytes_(mapped_->bytes()),
      footer_(footer),
      name_(std::move(name)),
      code_(std::move(code)),
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

std::uint64_t SealedFile::bucket_at(std::uint64_t bucket) const {
  const std::uint64_t group = number_at<std::uint64_t>(footer_.group_at(bucket));
  const std::uint64_t offset_at = footer_.offset_at(bucket);
  return group + (footer_.offset_bytes == SealedFooter::kShortOffset
                      ? number_at<std::uint16_t>(offset_at)
                      : number_at<std::uint32_t>(offset_at));
}

bool SealedFile::check_block(std::uint64_t block) const {
  return block_is_right(bytes_, footer_, block);
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
    const std::uint64_t group_at = footer_.group_at(bucket + i);
    const std::uint64_t offset_at = footer_.offset_at(bucket + i);
    if (!check_blocks(group_at, group_at + 8) ||
        !check_blocks(offset_at, offset_at + footer_.offset_bytes))
      return false;
    bounds[i] = bucket_at(bucket + i);
  }
  if (bounds[0] > bounds[1] || bounds[1] > footer_.data_bytes) return false;
  found = bytes_.subspan(bounds[0], bounds[1] - bounds[0]);
  return check_blocks(bounds[0], bounds[1]);
}

void SealedFile::prefetch_index(std::span<const CounterKey> keys) const {
  for (const CounterKey& key : keys) {
    const std::uint64_t bucket = bucket_of(key.shingle);
    prefetch_line(bytes_.data() + footer_.group_at(bucket));
    prefetch_line(bytes_.data() + footer_.offset_at(bucket));
  }
}

void SealedFile::prefetch_buckets(std::span<const CounterKey> keys) const {
  constexpr std::size_t kCacheLine = 64;
  constexpr std::size_t kLines = 3;  // a bucket of 12 rows has 110 bytes
  static_cast<void>(read_mapped([&] {
    for (const CounterKey& key : keys) {
      // Only a hint, so what it reads need not be checked; what is out of bounds is not fetched.
      const std::uint64_t at = bucket_at(bucket_of(key.shingle));
      if (at >= footer_.data_bytes) continue;
      for (std::size_t line = 0; line < kLines; ++line)
        prefetch_line(bytes_.data() + at + line * kCacheLine);
    }
  }));
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
    const bool is_whole = lost_ == nullptr || lost_->empty();
    if (is_whole && taken_ != file_->footer_.rows) return file_->status_of(Fault::kCorrupt).error();
    return nullptr;
  }
  ++taken_;
  return &rows_[at_++];
}

Status SealedFile::Cursor::read_bucket() {
  Status read = decode_bucket();
  if (!read && lost_ != nullptr) {  // wrong bytes, and those that the disk does not give
    pass_over();
    return {};
  }
  return read;
}

void SealedFile::Cursor::pass_over() {
  const std::uint64_t first = file_->first_shingle(bucket_);
  if (!lost_->empty() && lost_->back().last == first - 1)
    lost_->back().last = file_->last_shingle(bucket_);
  else
    lost_->push_back({first, file_->last_shingle(bucket_)});
  rows_.clear();
  at_ = 0;
  ++bucket_;
}

Status SealedFile::Cursor::decode_bucket() {
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
  // A row takes three bits at least.
  if (!in.ok() || rows > bytes_.size() * 3) return file_->status_of(Fault::kCorrupt);
  std::optional<CounterKey> before;
  if (!rows_.empty()) before = rows_.back().key;
  rows_.resize(rows);
  at_ = 0;
  std::vector<std::uint64_t> shingles(rows);
  std::uint64_t shingle = file_->first_shingle(bucket_);
  for (std::uint64_t& each : shingles) each = shingle += in.rice(file_->footer_.rice_bits);
  for (std::uint64_t row = 0; row < rows; ++row) {
    rows_[row].key = CounterKey::of(shingles[row], file_->code_.read_tag(in));
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
  if (!in.ok()) return file_->status_of(Fault::kCorrupt);
  ++bucket_;
  return {};
}

}  // namespace shingled::storage::counters
