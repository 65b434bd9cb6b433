#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

// The type of a body judged by its bytes alone.
// Errors:  none.
// Threads: stateless.
// Cost:    reads at most a few kilobytes, but all of a JPEG.

struct ImageInfo {
  std::string_view subtype;  ///< "png" "gif" "jpeg" "bmp"
  std::uint32_t width = 0;   ///< pixels
  std::uint32_t height = 0;
};

/// The media subtype of an image, by its signature; empty for other bodies.
std::string_view sniff_image(std::string_view body);

/// The header of such an image; nullopt if rspamd does not read it. Of JPEG it reads only JFIF and
/// Exif.
std::optional<ImageInfo> read_image(std::string_view body, std::string_view subtype);

/// Whether "%PDF-1.x" is in the first kilobyte; rspamd allows any bytes before it.
bool sniff_pdf(std::string_view body);

/// The media subtype of an archive: "zip" (also docx, jar, ...), "x-rar", "x-7z-compressed",
/// "gzip"; empty for other bodies.
std::string_view sniff_archive(std::string_view body);

/// Whether the beginning and the end have almost only bytes that occur in texts.
bool looks_like_text(std::string_view body);

/// The sum of the weights of the HTML tags in the first 4096 bytes (HASHING.md 4.3).
unsigned html_weight(std::string_view body);

inline constexpr unsigned kHtmlWeightSure = 40;
inline constexpr unsigned kHtmlWeightOfFile = 20;  ///< enough for a part with a file name

/// The kind of a part by its header and its bytes (HASHING.md 4.2 to 4.4).
enum class ContentKind : std::uint8_t {
  kContainer,  ///< a multipart; not hashed
  kText,
  kHtml,
  kImage,
  kArchive,
  kAttachment,  ///< also an attached message
  kOther        ///< any other inline part; not hashed
};

/// A text for programs, of which mail programs show a part (mime/calendar).
enum class CardKind : std::uint8_t { kNone, kCalendar, kContact };

struct PartContent {
  ContentKind kind = ContentKind::kOther;
  ImageInfo image;                  ///< of an image
  CardKind card = CardKind::kNone;  ///< for rspamd not a text, whatever its type
  bool pdf = false;                 ///< search it for scripts (pdf_scripts.h), whatever its kind
  std::string detected_type;        ///< "application/zip"; empty if unknown
};

/// Classifies a part.
/// Threads: stateless.
/// Cost:    as above and in archive_shape.h. Reading a whole body is paid to `meter`, and left out
///          if it refuses.
PartContent classify_part(const Mail& mail, const MailPart& part, WorkMeter& meter);

}  // namespace shingled::mime
