#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace shingled::mime
