#pragma once

#include <cstdint>
#include <string>

#include "mime/message/content_sniff.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// What a part is for the hashes, by its header and its bytes (HASHING.md 4.2 to 4.4).
enum class ContentKind : std::uint8_t {
  kContainer,  ///< a multipart: never hashed itself
  kText,
  kHtml,
  kImage,
  kArchive,
  kAttachment,  ///< also a nested message that is attached
  kOther        ///< inline and nothing of the above: not hashed
};

struct PartContent {
  ContentKind kind = ContentKind::kOther;
  ImageInfo image;            ///< of an image
  bool pdf = false;           ///< to be read for scripts (pdf_scripts.h), whatever its kind
  std::string detected_type;  ///< "application/zip"; empty if the bytes tell nothing
};

/// Threads: stateless.
/// Cost: see content_sniff.h and archive_shape.h; what takes a look at all of a body is paid to
/// `meter`, and left out if it refuses.
PartContent classify_part(const Mail& mail, const MailPart& part, WorkMeter& meter);

}  // namespace shingled::mime
