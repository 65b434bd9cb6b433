#pragma once

#include <cstdint>
#include <string_view>

#include "mime/container/container.h"

namespace shingled::mime {

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
