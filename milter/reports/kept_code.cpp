#include "milter/reports/kept_code.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::reports {

using storage::counters::CounterKey;
using storage::counters::Direction;
using storage::counters::Pair;
using storage::sqlite::ReportedHash;

namespace {

constexpr unsigned kHasShingles = 1;
constexpr unsigned kAsBefore = 2;  ///< the fingerprint of the hash before, on another list
constexpr unsigned kHashFlags = 4;
constexpr std::size_t kTextBytesMax = 500;
constexpr std::size_t kCountMax = std::numeric_limits<std::uint16_t>::max();

void put_count(Bytes& out, std::size_t count) {
  append_number(out, static_cast<std::uint16_t>(count));
}

void put_digest(Bytes& out, const Digest& digest) {
  out.insert(out.end(), digest.bytes.begin(), digest.bytes.end());
}

void put_keys(Bytes& out, std::span<const Pair> keys) {
  keys = keys.first(std::min(keys.size(), kCountMax));
  put_count(out, keys.size());
  for (const Pair& key : keys) {
    append_number(out, key.key.tag());
    append_number(out, key.key.shingle);
    if (is_pair(key.key.type)) append_number(out, key.unique);
  }
}

void put_hashes(Bytes& out, std::span<const ReportedHash> hashes) {
  hashes = hashes.first(std::min(hashes.size(), kReportedHashesMax));
  put_count(out, hashes.size());
  const Fingerprint* before = nullptr;
  for (const ReportedHash& hash : hashes) {
    const Fingerprint& print = hash.fingerprint;
    const bool same = before != nullptr && *before == print;
    append_number(out, static_cast<std::uint8_t>((print.shingles ? kHasShingles : 0) |
                                                 (same ? kAsBefore : 0)));
    append_number(out, hash.flag);
    append_number(out, static_cast<std::uint32_t>(hash.per_spam));
    append_number(out, static_cast<std::uint32_t>(hash.per_ham));
    before = &print;
    if (same) continue;
    put_digest(out, print.digest);
    if (!print.shingles) continue;
    for (const std::uint64_t slot : *print.shingles) append_number(out, slot);
  }
}

class KeptReader {
 public:
  explicit KeptReader(BytesView bytes) : reader_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_ && reader_.ok(); }
  [[nodiscard]] bool done() const { return ok_ && reader_.done(); }
  std::uint8_t byte() { return reader_.u8(); }
  std::uint64_t number() { return reader_.u64(); }
  std::size_t count(std::size_t most = kCountMax) {
    const std::size_t read = reader_.u16();
    check(read <= most);
    return ok() ? read : 0;
  }
  std::string_view text() { return as_text(reader_.bytes(count(kTextBytesMax))); }
  Digest digest() { return {reader_.array<kDigestBytes>()}; }

  std::vector<Pair> keys() {
    std::vector<Pair> out;
    const std::size_t keys = count();
    for (std::size_t i = 0; i < keys && ok(); ++i) {
      const std::uint8_t tag = byte();
      const CounterKey key = CounterKey::of(number(), tag);
      check(find_piece_type(static_cast<std::uint64_t>(key.type)) != nullptr);
      if (!ok()) break;
      out.push_back({key, is_pair(key.type) ? number() : 0});
    }
    return out;
  }

  std::vector<ReportedHash> hashes() {
    std::vector<ReportedHash> out;
    const std::size_t hashes = count(kReportedHashesMax);
    for (std::size_t i = 0; i < hashes && ok(); ++i) {
      const unsigned flags = byte();
      check(flags < kHashFlags);
      ReportedHash hash;
      hash.flag = reader_.u32();
      hash.per_spam = reader_.i32();
      hash.per_ham = reader_.i32();
      if ((flags & kAsBefore) != 0) {
        check(!out.empty());
        if (ok()) hash.fingerprint = out.back().fingerprint;
      } else {
        hash.fingerprint.digest = digest();
        if ((flags & kHasShingles) != 0) {
          Shingles& slots = hash.fingerprint.shingles.emplace();
          for (std::uint64_t& slot : slots) slot = number();
        }
      }
      out.push_back(hash);
    }
    return out;
  }

  void check(bool holds) { ok_ = ok_ && holds; }

 private:
  ByteReader reader_;
  bool ok_ = true;
};

}  // namespace

Bytes encode_kept(const KeptMessage& kept, const CounterKeyBytes& site) {
  const ReportedMessage& message = kept.message;
  Bytes out;
  append_number(out, kKeptCodeVersion);
  append_number(out, site_id(site));
  append_number(out, message.name);
  append_number(out, message.history_id);
  append_number(out, static_cast<std::uint8_t>(message.direction));
  const std::string_view why = std::string_view(message.not_taught).substr(0, kTextBytesMax);
  put_count(out, why.size());
  out.insert(out.end(), why.begin(), why.end());
  put_keys(out, message.keys);
  const std::span recipients =
      std::span(kept.recipients).first(std::min(kept.recipients.size(), kKeptRecipientsMax));
  put_count(out, recipients.size());
  for (const KeptMessage::Recipient& recipient : recipients) {
    append_number(out, recipient.address);
    put_keys(out, recipient.keys);
  }
  put_hashes(out, message.hashes);
  const std::size_t files = std::min(message.files.size(), kCountMax);
  put_count(out, files);
  auto file = message.files.begin();
  for (std::size_t i = 0; i < files; ++i) put_digest(out, *file++);
  return out;
}

Result<KeptMessage> decode_kept(BytesView bytes, const CounterKeyBytes& site) {
  KeptReader reader(bytes);
  const std::uint8_t version = reader.byte();
  if (reader.ok() && version > kKeptCodeVersion)
    return Error{ErrorCode::kInvalid, "a newer version kept this message"};
  const std::uint64_t made_for = reader.number();
  if (reader.ok() && version == kKeptCodeVersion && made_for != site_id(site)) {
    return Error{ErrorCode::kInvalid,
                 "this message was kept under another key (counters.key_file), so that nobody "
                 "knows its names any more"};
  }
  KeptMessage out;
  ReportedMessage& message = out.message;
  message.name = reader.number();
  message.history_id = reader.number();
  const std::uint8_t direction = reader.byte();
  reader.check(version == kKeptCodeVersion && direction <= 1);
  message.direction = static_cast<Direction>(direction & 1U);
  message.not_taught = reader.text();
  message.keys = reader.keys();
  const std::size_t recipients = reader.count(kKeptRecipientsMax);
  for (std::size_t i = 0; i < recipients && reader.ok(); ++i) {
    const std::uint64_t address = reader.number();
    out.recipients.push_back({address, reader.keys()});
  }
  message.hashes = reader.hashes();
  const std::size_t files = reader.count();
  for (std::size_t i = 0; i < files && reader.ok(); ++i) message.files.insert(reader.digest());
  if (!reader.done()) return Error{ErrorCode::kCorrupt, "what was kept of this message is broken"};
  return out;
}

}  // namespace shingled::milter::reports
