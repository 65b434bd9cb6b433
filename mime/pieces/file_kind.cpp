#include "mime/pieces/file_kind.h"

#include <cstddef>

#include "config/base/ascii.h"
#include "mime/pieces/header_text.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {

namespace {

using std::string_view_literals::operator""sv;

struct FileMark {
  std::size_t offset;
  std::string_view bytes;
  std::string_view type;
};

constexpr FileMark kFileMarks[] = {
    {0, "MZ"sv, "application/x-dosexec"},
    {0,
     "\x7F"
     "ELF"sv,
     "application/x-elf"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "application/x-ole-storage"},
    {0, "%PDF-"sv, "application/pdf"},
    {0, "{\\rt"sv, "text/rtf"},
    {0, "PK\x03\x04"sv, "application/zip"},
    {0, "PK\x05\x06"sv, "application/zip"},
    {0, "Rar!\x1A\x07"sv, "application/x-rar"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "application/x-7z-compressed"},
    {0, "\x1F\x8B"sv, "application/gzip"},
    {0, "BZh"sv, "application/x-bzip2"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "application/x-xz"},
    {0, "\x28\xB5\x2F\xFD"sv, "application/zstd"},
    {0, "MSCF"sv, "application/vnd.ms-cab-compressed"},
    {257, "ustar"sv, "application/x-tar"},
    {0, "L\0\0\0\x01\x14\x02\0"sv, "application/x-ms-shortcut"},
    {0, "\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D"sv, "application/onenote"},
    {0, "ITSF"sv, "application/vnd.ms-htmlhelp"},
    {0x8001, "CD001"sv, "application/x-iso9660-image"},
    {0, "conectix"sv, "application/x-vhd"},
    {0, "vhdxfile"sv, "application/x-vhdx"},
    {0, "\xCA\xFE\xBA\xBE"sv, "application/java-vm"},
    {0, "#!"sv, "text/x-script"},
    {0, "\x89PNG\r\n\x1A\n"sv, "image/png"},
    {0, "\xFF\xD8\xFF"sv, "image/jpeg"},
    {0, "GIF8"sv, "image/gif"},
    {0, "BM"sv, "image/bmp"},
    {8, "WEBP"sv, "image/webp"},
    {0, "II*\0"sv, "image/tiff"},
    {0, "MM\0*"sv, "image/tiff"},
    {0, "BEGIN:VCARD"sv, "text/vcard"},
    {0, "BEGIN:VCALENDAR"sv, "text/calendar"},
    {0, "<?xml"sv, "text/xml"},
};

constexpr std::size_t kExtensionBytesMax = 16;

/// The extension of a name; empty without one.
std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view extension = name.substr(dot + 1);
  return ascii::is_word(extension, kExtensionBytesMax, "_-~") ? extension : std::string_view();
}

}  // namespace

std::string_view sniff_file(std::string_view bytes) {
  for (const FileMark& mark : kFileMarks) {
    if (bytes.size() > mark.offset && bytes.substr(mark.offset).starts_with(mark.bytes)) {
      return mark.type;
    }
  }
  return {};
}

std::string normal_file_name(std::string_view name) {
  const std::size_t slash = name.find_last_of("/\\");
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  std::string normal = with_zero_digits(single_spaced(fold_case(name)));
  // Windows drops them: "a.exe. ." is saved and started as "a.exe".
  normal.resize(normal.find_last_not_of(" .") + 1);
  return normal;
}

std::string file_kind(std::string_view normal_name, std::string_view media_type) {
  const std::string_view extension = extension_of(normal_name);
  if (extension.empty() && media_type.empty()) return {};
  std::string out(extension.empty() ? "-" : extension);
  out += ' ';
  out += media_type.empty() ? "-" : media_type;
  return out;
}

}  // namespace shingled::mime
