#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

}  // namespace shingled::mime
