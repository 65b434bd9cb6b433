#include "mime/attachment/archive_shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

constexpr Steps kStepsAZipMember = 20;
constexpr Steps kStepsARarBlock = 30;

/// Reads little-endian numbers. After the first failure it stays failed.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  void skip(std::uint64_t count) {
    if (count > left()) return fail();
    at_ += static_cast<std::size_t>(count);
  }

  std::uint64_t number(std::size_t size) {
    if (size > left()) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes_[at_ + i]);
    }
    at_ += size;
    return value;
  }

  /// Seven bits per byte, the lowest first; the eighth bit says that another byte follows.
  std::uint64_t varying_number() {
    constexpr unsigned kShiftMax = 57;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kShiftMax; shift += 7) {
      const std::uint64_t byte = number(1);
      if (!ok_) return 0;
      value |= (byte & 0x7fU) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  void go_to(std::size_t at) { at_ = at; }
  void fail() { ok_ = false; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// The end of central directory record, near the end of the file.
std::optional<std::size_t> find_zip_end(std::string_view body) {
  constexpr std::size_t kRecordBytes = 22;
  constexpr std::size_t kBeginMin = 5;
  constexpr std::size_t kLookedAtMax = 1025;
  if (body.size() < kRecordBytes + kBeginMin) return std::nullopt;
  std::size_t at = body.size() - kRecordBytes;
  for (std::size_t i = 0; i < kLookedAtMax && at >= kBeginMin; ++i, --at) {
    if (body.substr(at, 4) == "PK\x05\x06"sv) return at;
  }
  return std::nullopt;
}

bool is_listable_zip(std::string_view body, WorkMeter& meter) {
  constexpr std::size_t kMemberBytes = 46;
  const std::optional<std::size_t> end = find_zip_end(body);
  if (!end) return false;
  Cursor record(body.substr(*end));
  record.skip(12);
  const std::uint64_t size = record.number(4);
  const std::uint64_t begin = record.number(4);
  if (begin + size > *end) return false;
  for (std::uint64_t at = begin; at < begin + size;) {
    if (!meter.spend(kStepsAZipMember)) return false;
    const std::string_view member = body.substr(at, *end - at);
    if (member.size() < kMemberBytes || member.substr(0, 4) != "PK\x01\x02"sv) return false;
    Cursor lengths(member);
    lengths.skip(28);
    at += kMemberBytes + lengths.number(2) + lengths.number(2) + lengths.number(2);
    if (at > *end) return false;
  }
  return true;
}

/// Blocks with their sizes up to the end, or up to an encrypted header.
bool is_listable_rar4(std::string_view blocks, WorkMeter& meter) {
  constexpr unsigned kMainHeader = 0x73;
  constexpr unsigned kFileHeader = 0x74;
  Cursor in(blocks);
  while (in.left() > 0) {
    if (!meter.spend(kStepsARarBlock)) return false;
    const std::size_t begin = in.at();
    in.skip(2);  // checksum
    const std::uint64_t type = in.number(1);
    const std::uint64_t flags = in.number(2);
    if (in.ok() && type == kMainHeader && (flags & 0x80U) != 0) return true;
    std::uint64_t size = in.number(2);
    if ((flags & 0x8000U) != 0) size += in.number(4);
    if (type == kFileHeader) {
      in.skip(4 + 11);
      const std::uint64_t name_bytes = in.number(2);
      if (name_bytes == 0 || name_bytes > in.left()) return false;
      in.skip(4);
      if ((flags & 0x100U) != 0) {
        size += in.number(4);
        in.skip(4);
      }
    }
    if (!in.ok() || size == 0) return false;
    in.go_to(begin);
    in.skip(size);
    if (!in.ok()) return false;
  }
  return true;
}

/// The common head of a rar 5 block, from its type to the fields of its kind.
struct RarBlock {
  std::uint64_t type = 0;
  std::uint64_t extra_bytes = 0;
  std::uint64_t data_bytes = 0;
};

RarBlock read_rar_block(Cursor& in) {
  RarBlock block;
  block.type = in.varying_number();
  const std::uint64_t flags = in.varying_number();
  if ((flags & 1U) != 0) block.extra_bytes = in.varying_number();
  if ((flags & 2U) != 0) block.data_bytes = in.varying_number();
  return block;
}

bool has_readable_rar_name(Cursor in) {
  const std::uint64_t flags = in.varying_number();
  in.varying_number();  // size
  in.varying_number();  // attributes
  if ((flags & 2U) != 0) in.skip(4);
  if ((flags & 4U) != 0) in.skip(4);
  if ((flags & 1U) != 0) return in.ok();  // a folder
  in.varying_number();                    // compression
  in.varying_number();                    // system
  const std::uint64_t name_bytes = in.varying_number();
  return in.ok() && name_bytes > 0 && name_bytes <= in.left();
}

bool is_listable_rar5(std::string_view blocks, WorkMeter& meter) {
  constexpr std::uint64_t kMainHeader = 1;
  constexpr std::uint64_t kFileHeader = 2;
  constexpr std::uint64_t kEncryptionHeader = 4;
  Cursor in(blocks);
  for (bool first = true; first || in.left() > 0; first = false) {
    if (!meter.spend(kStepsARarBlock)) return false;
    in.skip(4);  // checksum
    std::uint64_t size = in.varying_number();
    const std::size_t begin = in.at();
    const RarBlock block = read_rar_block(in);
    if (!in.ok() || size == 0) return false;
    if (first && block.type == kEncryptionHeader) return true;
    if (first && block.type != kMainHeader) return false;
    if (!first && block.type == kFileHeader && !has_readable_rar_name(in)) return false;
    size += block.data_bytes;
    if (size == 0 || size < block.data_bytes) return false;
    in.go_to(begin);
    in.skip(size);
    if (!in.ok()) return false;
  }
  return true;
}

bool is_listable_rar(std::string_view body, WorkMeter& meter) {
  constexpr std::size_t kMagicBytes = 8;
  if (body.size() <= kMagicBytes) return false;
  if (body.substr(6, 2) == "\x01\x00"sv) return is_listable_rar5(body.substr(8), meter);
  return body[6] == '\0' && is_listable_rar4(body.substr(7), meter);
}

/// Only checks that the header lies within the file.
bool is_listable_7z(std::string_view body) {
  constexpr std::size_t kSignatureHeaderBytes = 32;
  if (body.size() <= kSignatureHeaderBytes) return false;
  Cursor in(body);
  in.skip(12);
  return in.number(8) < body.size() - kSignatureHeaderBytes;
}

/// The member has a name inside, or gets one from the name of the part.
bool is_listable_gzip(std::string_view body, std::string_view file_name) {
  constexpr std::size_t kHeaderBytes = 10;
  if (body.size() <= kHeaderBytes) return false;
  const unsigned flags = static_cast<unsigned char>(body[3]);
  if ((flags & 8U) == 0) return file_name.find('.') != std::string_view::npos;
  Cursor in(body);
  in.skip(kHeaderBytes + ((flags & 2U) != 0 ? 2 : 0));
  if ((flags & 4U) != 0) {
    const std::uint64_t extra = in.number(2);
    if (!in.ok() || extra >= in.left()) return false;
    in.skip(extra);
  }
  if (!in.ok()) return false;
  return body.find('\0', in.at() + 1) != std::string_view::npos;
}

}  // namespace

bool is_listable_archive(std::string_view body, std::string_view subtype,
                         std::string_view file_name, WorkMeter& meter) {
  if (subtype == "zip") return is_listable_zip(body, meter);
  if (subtype == "x-rar") return is_listable_rar(body, meter);
  if (subtype == "x-7z-compressed") return is_listable_7z(body);
  return is_listable_gzip(body, file_name);
}

}  // namespace shingled::mime
