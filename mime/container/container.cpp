#include "mime/container/container.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "mime/container/archive_reader.h"

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

namespace {

bool has_huge_directory(std::string_view zip) {
  constexpr std::string_view kDirectoryMark = "PK\x01\x02";
  std::size_t found = 0;
  for (std::size_t at = zip.find(kDirectoryMark); at != std::string_view::npos;
       at = zip.find(kDirectoryMark, at + kDirectoryMark.size())) {
    if (++found > kZipDirectoryMax) return true;
  }
  return false;
}

class Opener {
 public:
  Opener(std::string_view bytes, const ContainerOptions& options,
         const std::function<bool()>& out_of_time)
      : options_(options),
        out_of_time_(out_of_time),
        ratio_bytes_max_(
            std::max(kRatioBytesMin, options.ratio_max * std::uint64_t{bytes.size()})) {}

  OpenedContainer run(std::string_view bytes) {
    report_.root = open(bytes, 1);
    return std::move(report_);
  }

 private:
  Container open(std::string_view bytes, std::uint32_t depth) {
    Container container;
    container.kind = sniff_container(bytes);
    if (container.kind == ContainerKind::kNone) return container;
    if (depth > options_.depth_max) {
      note("depth limit reached");
      return container;
    }
    if (container.kind == ContainerKind::kZip && has_huge_directory(bytes)) {
      note("entry limit reached");
      return container;
    }
    ++report_.containers;
    container.whole = true;
    ArchiveReader reader(container.kind, bytes);
    for (auto step = next(reader); step != ArchiveReader::Step::kEnd; step = next(reader)) {
      if (step == ArchiveReader::Step::kFatal) {
        container.whole = false;
        break;
      }
      add_entry(container, reader, depth);
    }
    return container;
  }

  /// kFatal also when a limit stops everything.
  ArchiveReader::Step next(ArchiveReader& reader) {
    if (stopped_ || is_out_of_time()) return ArchiveReader::Step::kFatal;
    const auto step = reader.next();
    if (step == ArchiveReader::Step::kFatal) note("broken container");
    if (step != ArchiveReader::Step::kMore) return step;
    if (report_.entries >= options_.entries_max) return stop("entry limit reached");
    ++report_.entries;
    return step;
  }

  void add_entry(Container& container, ArchiveReader& reader, std::uint32_t depth) {
    ContainerEntry entry;
    const auto end = read(reader, entry.bytes);
    if (end != ArchiveReader::Step::kEnd) container.whole = false;
    if (end == ArchiveReader::Step::kEncrypted) note("an entry is encrypted");
    if (end == ArchiveReader::Step::kBroken) note("an entry cannot be read");
    if (stopped_ || !reader.is_file() || entry.bytes.empty()) return;
    entry.name = reader.name();
    entry.inside = open(entry.bytes, depth + 1);
    container.entries.push_back(std::move(entry));
  }

  ArchiveReader::Step read(ArchiveReader& reader, std::string& bytes) {
    auto step = ArchiveReader::Step::kMore;
    while (step == ArchiveReader::Step::kMore) {
      if (is_out_of_time()) return ArchiveReader::Step::kFatal;
      std::string_view block;
      step = reader.read(block);
      report_.bytes += block.size();
      if (report_.bytes > options_.unpacked_max) return stop("size limit reached");
      if (report_.bytes > ratio_bytes_max_) return stop("ratio limit reached");
      bytes.append(block);
    }
    return step;
  }

  bool is_out_of_time() {
    if (!out_of_time_()) return false;
    stop("time limit reached");
    return true;
  }
  ArchiveReader::Step stop(std::string_view why) {
    note(why);
    stopped_ = true;
    return ArchiveReader::Step::kFatal;
  }
  void note(std::string_view phrase) {
    auto& notes = report_.notes;
    if (std::find(notes.begin(), notes.end(), phrase) == notes.end()) notes.emplace_back(phrase);
  }

  const ContainerOptions& options_;
  const std::function<bool()>& out_of_time_;
  const std::uint64_t ratio_bytes_max_;
  bool stopped_ = false;  ///< by a limit: nothing more is read
  OpenedContainer report_;
};

}  // namespace

OpenedContainer open_container(std::string_view bytes, const ContainerOptions& options,
                               const std::function<bool()>& out_of_time) {
  return Opener(bytes, options, out_of_time).run(bytes);
}

}  // namespace shingled::mime
