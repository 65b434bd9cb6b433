#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mime/container/container.h"

namespace shingled::mime {

/// A string of bytes that does not depend on how a container is packed: the order of its entries,
/// the compression, tar or zip.
///
/// It is the own bytes of the entries (own_bytes()), concatenated in the order of their names. A
/// nested container that was completely read is replaced by its content. Names are not part of it.
/// Threads: stateless.
/// Cost:    one copy of all bytes.
std::string container_content(const Container& container);

/// Kinds of zips whose files have much in common in all documents.
enum class PackageKind : std::uint8_t {
  kPlain,
  kOoxml,  ///< docx, xlsx, pptx: has "[Content_Types].xml"
  kOdf,    ///< odt, ods, odp: "mimetype" names an OpenDocument
  kJar,    ///< jar, apk: has "META-INF/MANIFEST.MF"
};

PackageKind package_kind(const Container& container);

/// The part of an entry that is not the same in every document of this kind. Empty for content
/// types, relations, properties, themes, styles, settings, fonts, layouts, signatures. Of XML in an
/// office document it is the text after the start tag of the root, which holds a list of namespaces
/// (about 2 KB of a docx).
/// Threads: stateless.
/// Source: ECMA-376 part 1, OpenDocument 1.3 part 2, JAR format.
std::string_view own_bytes(PackageKind kind, std::string_view name, std::string_view bytes);

}  // namespace shingled::mime
