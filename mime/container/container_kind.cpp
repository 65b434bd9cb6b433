#include "mime/container/container_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace shingled::mime {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTarBlock = 512;
constexpr std::size_t kTarSum = 148;  ///< offset of the checksum
constexpr std::size_t kTarSumBytes = 8;
constexpr std::size_t kTarKind = 156;
constexpr std::size_t kTarMagic = 257;

struct Mark {
  std::string_view bytes;
  ContainerKind kind;
};

constexpr std::array kMarks = {
    Mark{"PK\x03\x04"sv, ContainerKind::kZip},
    Mark{"PK\x05\x06"sv, ContainerKind::kZip},            // without entries
    Mark{"PK\x07\x08PK\x03\x04"sv, ContainerKind::kZip},  // written for several disks
    Mark{"PK00PK\x03\x04"sv, ContainerKind::kZip},        // for several disks, fitted on one
    Mark{"\xfd"
         "7zXZ\0"sv,
         ContainerKind::kXz},
    Mark{"\x28\xb5\x2f\xfd"sv, ContainerKind::kZstd},
    Mark{"\x04\x22\x4d\x18"sv, ContainerKind::kLz4},
};

unsigned at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

bool is_gzip(std::string_view bytes) {
  constexpr unsigned kReservedFlags = 0xe0;
  return bytes.size() >= 18 && bytes.starts_with("\x1f\x8b\x08"sv) &&
         (at(bytes, 3) & kReservedFlags) == 0;
}

bool is_bzip2(std::string_view bytes) {
  constexpr std::size_t kBlockMark = 4;
  if (bytes.size() < 14 || !bytes.starts_with("BZh"sv) || bytes[3] < '1' || bytes[3] > '9')
    return false;
  const std::string_view block = bytes.substr(kBlockMark);
  return block.starts_with("1AY&SY"sv) || block.starts_with("\x17\x72\x45\x38\x50\x90"sv);
}

std::optional<unsigned> octal(std::string_view field) {
  unsigned value = 0;
  bool any = false;
  for (const char c : field) {
    if (c == ' ' && !any) continue;
    if (c < '0' || c > '7') break;
    value = value * 8 + static_cast<unsigned>(c - '0');
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

/// Old tars have no magic; in them the name must end within its field.
bool is_tar(std::string_view bytes) {
  constexpr std::size_t kNameBytes = 100;
  if (bytes.size() < kTarBlock || bytes.front() == '\0') return false;
  const auto sum = octal(bytes.substr(kTarSum, kTarSumBytes));
  if (!sum) return false;
  unsigned found = 0;
  unsigned found_signed = 0;  // as some old programs compute it
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    const bool blank = i >= kTarSum && i < kTarSum + kTarSumBytes;
    found += blank ? 0x20U : at(bytes, i);
    found_signed += blank ? 0x20U : static_cast<unsigned>(static_cast<signed char>(bytes[i]));
  }
  if (*sum != found && *sum != found_signed) return false;
  if (bytes.substr(kTarMagic).starts_with("ustar"sv)) return true;
  const bool known_kind =
      at(bytes, kTarKind) == 0 || (bytes[kTarKind] >= '0' && bytes[kTarKind] <= '7');
  return known_kind && bytes.substr(0, kNameBytes).find('\0') != std::string_view::npos;
}

}  // namespace

std::string_view to_string(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kNone:
      return "";
    case ContainerKind::kZip:
      return "zip";
    case ContainerKind::kTar:
      return "tar";
    case ContainerKind::kGzip:
      return "gzip";
    case ContainerKind::kBzip2:
      return "bzip2";
    case ContainerKind::kXz:
      return "xz";
    case ContainerKind::kZstd:
      return "zstd";
    case ContainerKind::kLz4:
      return "lz4";
  }
  return "";
}

ContainerKind sniff_container(std::string_view bytes) {
  const auto mark = std::find_if(kMarks.begin(), kMarks.end(), [&](const Mark& candidate) {
    return bytes.starts_with(candidate.bytes);
  });
  if (mark != kMarks.end()) return mark->kind;
  if (is_gzip(bytes)) return ContainerKind::kGzip;
  if (is_bzip2(bytes)) return ContainerKind::kBzip2;
  if (is_tar(bytes)) return ContainerKind::kTar;
  return ContainerKind::kNone;
}

}  // namespace shingled::mime
