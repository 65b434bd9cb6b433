#include "storage/client/srv_answer.h"

#include <algorithm>

#include "storage/client/server_selection.h"

namespace shingled::storage::client {

namespace {

// RFC 1035 2.3.4 and 4.1.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kPointersMax = 32;  // a name of 255 bytes has no use for more
constexpr std::uint16_t kTypeSrv = 33;
constexpr std::uint16_t kClassInternet = 1;
constexpr std::uint16_t kResponseBit = 0x8000;
constexpr std::uint16_t kTruncatedBit = 0x0200;
constexpr std::uint16_t kCodeMask = 0x000f;
constexpr std::uint8_t kPointerBits = 0xc0;

/// A cursor over a message in network order. Once failed it stays failed.
/// Threads: one thread.
class Cursor {
 public:
  Cursor(BytesView message, std::size_t at) : message_(message), at_(at) {}

  std::uint8_t u8() {
    if (!ok_ || at_ >= message_.size()) {
      ok_ = false;
      return 0;
    }
    return message_[at_++];
  }
  std::uint16_t u16() {
    const unsigned high = u8();
    return static_cast<std::uint16_t>(high << 8 | u8());
  }
  void skip(std::size_t count) {
    if (ok_ && count <= message_.size() - at_) {
      at_ += count;
    } else {
      ok_ = false;
    }
  }
  void fail() { ok_ = false; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool ok() const { return ok_; }

  /// A name, its compression undone; the cursor stands behind its first part.
  std::string name();

 private:
  BytesView message_;
  std::size_t at_;
  bool ok_ = true;
};

char lower(std::uint8_t c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

std::string Cursor::name() {
  std::string out;
  std::optional<std::size_t> resume;
  std::size_t part = at_;  // where the part that is read begins
  for (std::size_t pointers = 0; ok_;) {
    const std::uint8_t length = u8();
    if (!ok_) break;
    if ((length & kPointerBits) == kPointerBits) {
      const std::size_t target = (std::size_t{length} & 0x3f) << 8 | u8();
      // Only backwards, so that no loop is possible.
      if (!ok_ || target >= part || ++pointers > kPointersMax) break;
      if (!resume) resume = at_;
      part = at_ = target;
      continue;
    }
    if ((length & kPointerBits) != 0) break;  // reserved
    if (length == 0) {
      if (resume) at_ = *resume;
      return out;
    }
    if (out.size() + 1 + length > kNameBytesMax) break;
    if (!out.empty()) out += '.';
    for (std::uint8_t i = 0; i < length; ++i) out += lower(u8());
  }
  fail();
  return {};
}

bool is_host_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

/// One resource record; what is SRV goes to `out`.
void read_record(Cursor& cursor, std::vector<SrvRecord>& out) {
  (void)cursor.name();
  const std::uint16_t type = cursor.u16();
  const std::uint16_t record_class = cursor.u16();
  cursor.skip(4);  // time to live
  const std::size_t length = cursor.u16();
  const std::size_t end = cursor.at() + length;
  if (type != kTypeSrv || record_class != kClassInternet) return cursor.skip(length);
  SrvRecord record;
  record.priority = cursor.u16();
  record.weight = cursor.u16();
  record.port = cursor.u16();
  record.target = cursor.name();
  if (cursor.at() != end) return cursor.fail();
  const bool usable = !record.target.empty() && record.port != 0 && is_host_name(record.target);
  if (cursor.ok() && usable && out.size() < kSrvRecordsMax) out.push_back(std::move(record));
}

}  // namespace

std::optional<std::vector<SrvRecord>> parse_srv_answer(BytesView message) {
  if (message.size() < kHeaderBytes) return std::nullopt;
  Cursor header(message, 2);
  const std::uint16_t flags = header.u16();
  const std::size_t questions = header.u16();
  const std::size_t answers = header.u16();
  if ((flags & kResponseBit) == 0 || (flags & kTruncatedBit) != 0 || (flags & kCodeMask) != 0) {
    return std::nullopt;
  }
  Cursor cursor(message, kHeaderBytes);
  for (std::size_t i = 0; i < questions && cursor.ok(); ++i) {
    (void)cursor.name();
    cursor.skip(4);  // type and class
  }
  std::vector<SrvRecord> out;
  for (std::size_t i = 0; i < answers && cursor.ok(); ++i) read_record(cursor, out);
  if (!cursor.ok()) return std::nullopt;
  return out;
}

void order_srv(std::vector<SrvRecord>& records, std::uint64_t key) {
  std::stable_sort(records.begin(), records.end(),
                   [](const SrvRecord& a, const SrvRecord& b) { return a.priority < b.priority; });
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end = std::find_if(begin, records.end(), [&](const SrvRecord& record) {
      return record.priority != begin->priority;
    });
    std::vector<Contender> contenders;
    for (auto record = begin; record != end; ++record) {
      // Weight 0 means "hardly ever": a hundredth of the smallest other one.
      const std::uint32_t weight = record->weight == 0 ? 1 : std::uint32_t{record->weight} * 100;
      contenders.push_back(
          {identity_of(record->target + ":" + std::to_string(record->port)), weight});
    }
    ServerSelection selection(Rotation::kRandom, contenders);
    std::vector<SrvRecord> ordered;
    for (const std::size_t i : selection.order(std::vector<bool>(contenders.size(), true), key))
      ordered.push_back(begin[static_cast<std::ptrdiff_t>(i)]);
    std::move(ordered.begin(), ordered.end(), begin);
    begin = end;
  }
}

}  // namespace shingled::storage::client
