#include "storage/counters/sealed/sealed_writer.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "config/base/assert.h"
#include "storage/log/record_log.h"

namespace shingled::storage::counters {

namespace {

constexpr std::uint64_t kRowsPerBucketMax = 16;
constexpr std::size_t kFlushBytes = 256 * kBlockBytes;
constexpr unsigned kShingleBits = 64;
constexpr std::size_t kSampleRows = 16'384;
constexpr std::uint32_t kShortOffsetMax = std::numeric_limits<std::uint16_t>::max();

std::string temporary(const std::string& name) { return name + ".tmp"; }

void fill_to_8(Bytes& out) { out.resize((out.size() + 7) / 8 * 8); }

/// The lengths of the codes, two in a byte.
void append_code(Bytes& out, const PrefixCode& code) {
  const std::vector<std::uint8_t>& lengths = code.lengths();
  for (std::size_t i = 0; i < lengths.size(); i += 2)
    out.push_back(
        static_cast<std::uint8_t>(lengths[i] | (i + 1 < lengths.size() ? lengths[i + 1] : 0) << 4));
}

/// 2^bits buckets of 8 to 16 rows.
std::uint8_t bucket_bits_for(std::uint64_t rows) {
  const std::uint64_t buckets = (rows + kRowsPerBucketMax - 1) / kRowsPerBucketMax;
  return buckets < 2 ? 0 : static_cast<std::uint8_t>(std::bit_width(buckets - 1));
}

/// The logarithm of the mean distance of two shingles, rounded down.
std::uint8_t rice_bits_for(std::uint64_t rows) {
  return static_cast<std::uint8_t>(kShingleBits -
                                   std::max(1U, static_cast<unsigned>(std::bit_width(rows))));
}

}  // namespace

Result<SealedWriter> SealedWriter::begin(FileSystem& files, std::string name,
                                         std::uint64_t rows_expected, const PeriodRange& range) {
  auto file = files.create(temporary(name));
  if (!file) return file.error();
  SealedFooter footer;
  footer.bucket_bits =
      std::min<std::uint8_t>(bucket_bits_for(rows_expected), SealedFooter::kBucketBitsMax);
  footer.rice_bits = rice_bits_for(rows_expected);
  footer.range = range;
  return SealedWriter(files, std::move(name), *std::move(file), footer);
}

SealedWriter::SealedWriter(FileSystem& files, std::string name, std::unique_ptr<AppendFile> file,
                           const SealedFooter& footer)
    : files_(&files), name_(std::move(name)), file_(std::move(file)), footer_(footer) {
  offsets_.reserve(footer_.buckets() + 1);
  note_offset();
}

SealedWriter::~SealedWriter() {
  // What cannot be removed now is removed at the next start, as no row of the catalogue names it.
  if (file_) static_cast<void>(files_->remove(temporary(name_)));
}

Status SealedWriter::add(const CounterKey& key, const std::vector<Entry>& entries) {
  SHINGLED_ASSERT(!entries.empty());
  ++footer_.rows;
  if (code_) return put(key, entries);
  sample_.push_back({key, entries});
  return sample_.size() < kSampleRows ? Status{} : end_sample();
}

Status SealedWriter::end_sample() {
  code_.emplace(footer_.range, RowCode::codes_for(footer_.range, sample_));
  const std::vector<Row> sample = std::exchange(sample_, {});
  for (const Row& row : sample)
    if (Status put_in = put(row.key, row.entries); !put_in) return put_in;
  return {};
}

Status SealedWriter::put(const CounterKey& key, std::span<const Entry> entries) {
  const std::uint64_t bucket =
      footer_.bucket_bits == 0 ? 0 : key.shingle >> (kShingleBits - footer_.bucket_bits);
  if (Status closed = close_buckets_before(bucket); !closed) return closed;
  SHINGLED_ASSERT(rows_.empty() || rows_.back().key < key);
  rows_.push_back({key, entries.size()});
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  return {};
}

Status SealedWriter::close_buckets_before(std::uint64_t bucket) {
  SHINGLED_ASSERT(bucket >= bucket_);
  for (; bucket_ < bucket; ++bucket_) {
    write_bucket();
    note_offset();
  }
  return flush(kFlushBytes);
}

void SealedWriter::write_bucket() {
  BitWriter bits(out_);
  bits.gamma(rows_.size() + 1);
  std::uint64_t before =
      footer_.bucket_bits == 0 ? 0 : bucket_ << (kShingleBits - footer_.bucket_bits);
  for (const PendingRow& row : rows_) {
    bits.rice(row.key.shingle - before, footer_.rice_bits);
    before = row.key.shingle;
  }
  for (const PendingRow& row : rows_) code_->write_tag(row.key.tag(), bits);
  const Entry* entry = entries_.data();
  for (const PendingRow& row : rows_) {
    code_->write({entry, row.entries}, bits);
    entry += row.entries;
  }
  bits.finish();
  rows_.clear();
  entries_.clear();
}

void SealedWriter::note_offset() {
  const std::uint64_t at = begun_ + out_.size();
  if (offsets_.size() % kGroupBuckets == 0) groups_.push_back(at);
  const std::uint64_t offset = at - groups_.back();
  SHINGLED_ASSERT(offset <= std::numeric_limits<std::uint32_t>::max());
  offsets_.push_back(static_cast<std::uint32_t>(offset));
}

Status SealedWriter::flush(std::size_t bytes_least) {
  if (out_.size() < bytes_least) return {};
  const std::size_t whole = out_.size() / kBlockBytes * kBlockBytes;
  for (std::size_t at = 0; at < whole; at += kBlockBytes)
    sums_.push_back(log::checksum(BytesView(out_).subspan(at, kBlockBytes)));
  if (Status written = file_->append(BytesView(out_).first(whole)); !written)
    return written.error().in(name_);
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(whole));
  begun_ += whole;
  return {};
}

void SealedWriter::write_index() {
  footer_.data_bytes = begun_ + out_.size();
  const bool is_short =
      std::ranges::all_of(offsets_, [](std::uint32_t offset) { return offset <= kShortOffsetMax; });
  footer_.offset_bytes = is_short ? SealedFooter::kShortOffset : SealedFooter::kLongOffset;
  groups_.resize(footer_.groups(), footer_.data_bytes);
  for (const std::uint64_t group : groups_) append_number(out_, group);
  for (const std::uint32_t offset : offsets_) {
    if (is_short)
      append_number(out_, static_cast<std::uint16_t>(offset));
    else
      append_number(out_, offset);
  }
  for (const PrefixCode* code :
       {&code_->codes().tags, &code_->codes().heads, &code_->codes().periods})
    append_code(out_, *code);
  fill_to_8(out_);
}

Result<SealedFooter> SealedWriter::finish() {
  if (!code_)
    if (Status ended = end_sample(); !ended) return ended.error();
  if (Status closed = close_buckets_before(footer_.buckets()); !closed) return closed.error();
  fill_to_8(out_);
  write_index();
  if (Status flushed = flush(kBlockBytes); !flushed) return flushed.error();
  if (!out_.empty()) sums_.push_back(log::checksum(out_));

  const std::size_t sums_begin = out_.size();
  for (const std::uint64_t sum : sums_) append_number(out_, sum);
  footer_.sums_checksum = log::checksum(BytesView(out_).subspan(sums_begin));
  footer_.write(out_);
  Status done = file_->append(out_);
  if (done) done = file_->sync();
  if (done) done = files_->rename(temporary(name_), name_);
  if (done) done = files_->sync_names();
  if (!done) return done.error().in(name_);
  file_.reset();
  return footer_;
}

}  // namespace shingled::storage::counters
