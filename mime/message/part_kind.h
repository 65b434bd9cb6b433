#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

// What a body is by its bytes, whatever its header says.
// Errors: none.
// Threads: stateless.
// Cost: reads at most a few kilobytes, of JPEG all.

struct ImageInfo {
  std::string_view subtype;  ///< "png" "gif" "jpeg" "bmp"
  std::uint32_t width = 0;   ///< pixels
  std::uint32_t height = 0;
};

/// The media subtype of the image a body is, by its signature; empty if it is none.
std::string_view sniff_image(std::string_view body);

/// What the header of such an image says; nothing if it is not what rspamd reads: of JPEG only JFIF
/// and Exif.
std::optional<ImageInfo> read_image(std::string_view body, std::string_view subtype);

/// Whether "%PDF-1.x" stands in the first kilobyte: rspamd lets anything precede it.
bool sniff_pdf(std::string_view body);

/// The media subtype of the archive a body is: "zip" (so also docx, jar, ...), "x-rar",
/// "x-7z-compressed", "gzip"; empty if it is none.
std::string_view sniff_archive(std::string_view body);

/// Whether the beginning and the end are nearly free of bytes no text has.
bool looks_like_text(std::string_view body);

/// The sum of the weights of the HTML tags in the first 4096 bytes (HASHING.md 4.3).
unsigned html_weight(std::string_view body);

inline constexpr unsigned kHtmlWeightSure = 40;
inline constexpr unsigned kHtmlWeightOfFile = 20;  ///< enough for a part that has a file name

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
