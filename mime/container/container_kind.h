#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// What we open to see what is inside. A compressed file is a container of one entry, so a tar.gz
/// is a tar within a gzip.
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

/// What the bytes are by their beginning alone, so that what no container is costs nothing more.
///
/// Only strong marks count: a tar must have a right checksum, a gzip no reserved flag. A program
/// with a zip behind it (a self-extracting one) is a program.
/// Threads: stateless.
/// Cost: at most 512 bytes are looked at.
/// Source: APPNOTE.TXT 4.3, POSIX pax, RFC 1952 2.3, RFC 8878 3.1.1, the formats' own
/// specifications.
ContainerKind sniff_container(std::string_view bytes);

}  // namespace shingled::mime
