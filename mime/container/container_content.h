#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mime/container/container.h"

namespace shingled::mime {

/// The one string of bytes that stands for a container, so that it is known again when it is packed
/// otherwise: another order, another compression, a tar instead of a zip.
///
/// What is the document's own of its entries (package_parts.h), in order of their names, one behind
/// the other; a container inside that was read as a whole stands there opened, another one as it
/// is. Names are not in it.   Pure.
/// Cost: one copy of all bytes.
std::string container_content(const Container& container);

/// Zips of a known kind, whose files have much in common, whoever wrote them.
enum class PackageKind : std::uint8_t {
  kPlain,
  kOoxml,  ///< docx, xlsx, pptx: has "[Content_Types].xml"
  kOdf,    ///< odt, ods, odp: "mimetype" names an OpenDocument
  kJar,    ///< jar, apk: has "META-INF/MANIFEST.MF"
};

PackageKind package_kind(const Container& container);

/// What of an entry is the document's own, and not that of every document of its kind: nothing of
/// content types, relations, properties, themes, styles, settings, fonts, layouts, signatures; of
/// XML in an office document what follows the start tag of its root, with its list of namespaces
/// (some 2 KB of a docx).   Pure.
/// Source: ECMA-376 part 1, OpenDocument 1.3 part 2, JAR format.
std::string_view own_bytes(PackageKind kind, std::string_view name, std::string_view bytes);

}  // namespace shingled::mime
