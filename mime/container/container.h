#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/similar_options.h"

namespace shingled::mime {

/// The containers that we open. A compressed file is a container of one entry, so a tar.gz is a tar
/// in a gzip.
enum class ContainerKind : std::uint8_t {
  kNone,
  kZip,  ///< also docx, xlsx, pptx, odt, jar, apk, epub
  kTar,
  kGzip,
  kBzip2,
  kXz,
  kZstd,
  kLz4,
};

std::string_view to_string(ContainerKind kind);  ///< "zip" "tar" "gzip" ...; "" for kNone

/// The kind of container, judged by the beginning of the bytes alone.
///
/// Only strong marks count: a tar needs a correct checksum, a gzip no reserved flags. A
/// self-extracting zip is a program, not a container.
/// Threads: stateless.
/// Cost:    looks at no more than 512 bytes.
/// Source:  APPNOTE.TXT 4.3, POSIX pax, RFC 1952 2.3, RFC 8878 3.1.1, the formats' own
/// specifications.
ContainerKind sniff_container(std::string_view bytes);

struct ContainerEntry;

/// The content of a container, with nested containers opened.
struct Container {
  ContainerKind kind = ContainerKind::kNone;
  std::vector<ContainerEntry> entries;  ///< the files, in the order of the container
  bool whole = false;                   ///< everything was read without errors or limits
};

struct ContainerEntry {
  std::string name;   ///< a label, never a path
  std::string bytes;  ///< unpacked
  Container inside;   ///< of kind kNone for an ordinary file
};

/// An opened container, and what it cost.
struct OpenedContainer {
  Container root;
  std::uint64_t entries = 0;     ///< at all depths, with folders and unreadable ones
  std::uint64_t containers = 0;  ///< opened, with the root
  std::uint64_t bytes = 0;       ///< unpacked at all depths
  /// Why something is missing. Fixed phrases, each once: "an entry is encrypted", "an entry cannot
  /// be read", "broken container", "depth limit reached", "entry limit reached", "size limit
  /// reached", "ratio limit reached", "time limit reached".
  std::vector<std::string> notes;

  [[nodiscard]] bool is_container() const { return root.kind != ContainerKind::kNone; }
};

/// Opens a container and the containers inside it, in memory.
///
/// Input:   any bytes; other data than containers costs a look at its beginning.
/// Output:  the files that were completely read before a limit was reached. A nested container
///          counts as a file, too, and so do its bytes.
/// Does not: decrypt, unpack rar or 7z, follow links, write a file or start a program.
/// Errors:  none; encrypted, broken and oversized containers give a value and notes.
/// Bounds:  `options`; `out_of_time` is asked for each block of a few hundred KB. The ratio limit
///          applies from kRatioBytesMin unpacked bytes on.
/// Threads: stateless.
/// Memory:  the unpacked bytes, twice while a file grows.
OpenedContainer open_container(std::string_view bytes, const ContainerOptions& options,
                               const std::function<bool()>& out_of_time);

constexpr std::uint64_t kRatioBytesMin = 1U << 20U;
/// A zip with more entries in its directory is not even listed.
constexpr std::size_t kZipDirectoryMax = 65'536;

}  // namespace shingled::mime
