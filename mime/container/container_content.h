#pragma once

#include <string>

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

}  // namespace shingled::mime
