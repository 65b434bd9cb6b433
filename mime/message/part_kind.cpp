#include "mime/message/part_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/ascii.h"
#include "mime/attachment/archive_shape.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 160;
constexpr std::size_t kTailBytes = 80;
constexpr std::size_t kWholeBytesMax = 240;  ///< larger bodies are checked at both ends only
constexpr std::size_t kHtmlBytesMax = 4096;
constexpr std::size_t kPdfMarkEndMax = 1024;    ///< the version of a PDF must end before
constexpr std::size_t kUnprintableShare = 128;  ///< at most one byte in 128
constexpr std::size_t kForeignRun = 3;          ///< three 8-bit bytes in a row are some charset

std::uint32_t byte_at(std::string_view body, std::size_t at) {
  return static_cast<unsigned char>(body[at]);
}

std::uint32_t big_endian_16(std::string_view body, std::size_t at) {
  return byte_at(body, at) << 8 | byte_at(body, at + 1);
}

std::uint32_t little_endian_16(std::string_view body, std::size_t at) {
  return byte_at(body, at + 1) << 8 | byte_at(body, at);
}

std::uint32_t big_endian_32(std::string_view body, std::size_t at) {
  return big_endian_16(body, at) << 16 | big_endian_16(body, at + 2);
}

std::uint32_t little_endian_32(std::string_view body, std::size_t at) {
  return little_endian_16(body, at + 2) << 16 | little_endian_16(body, at);
}

bool starts_with(std::string_view body, std::string_view signature) {
  return body.substr(0, signature.size()) == signature;
}

/// Walks the segments of a JPEG to its frame header (ITU T.81 B.2.2), skipping bytes between them.
std::optional<ImageInfo> read_jpeg(std::string_view body) {
  constexpr std::size_t kFrameHeaderBytes = 9;
  if (body.size() < 4 || (byte_at(body, 3) != 0xe0 && byte_at(body, 3) != 0xe1)) {
    return std::nullopt;  // neither JFIF nor Exif
  }
  for (std::size_t at = 2; at + kFrameHeaderBytes <= body.size();) {
    const std::uint32_t marker = byte_at(body, at + 1);
    const bool frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (byte_at(body, at) != 0xff || marker == 0xff) {
      ++at;
    } else if (frame) {
      return ImageInfo{"jpeg", big_endian_16(body, at + 7), big_endian_16(body, at + 5)};
    } else {
      at += 2 + std::max<std::size_t>(big_endian_16(body, at + 2), 2);
    }
  }
  return std::nullopt;
}

std::optional<ImageInfo> read_png(std::string_view body) {
  if (body.size() < 24 || body.substr(12, 4) != "IHDR"sv) return std::nullopt;
  return ImageInfo{"png", big_endian_32(body, 16), big_endian_32(body, 20)};
}

std::optional<ImageInfo> read_gif(std::string_view body) {
  if (body.size() < 10) return std::nullopt;
  return ImageInfo{"gif", little_endian_16(body, 6), little_endian_16(body, 8)};
}

std::optional<ImageInfo> read_bmp(std::string_view body) {
  if (body.size() < 28) return std::nullopt;
  return ImageInfo{"bmp", little_endian_32(body, 18), little_endian_32(body, 22)};
}

/// The size of a plausible UTF-8 sequence at `at`, or 0. Laxer than utf8_sequence_size().
std::size_t utf8_size(std::string_view text, std::size_t at) {
  const std::uint32_t lead = byte_at(text, at);
  const std::size_t size = lead >= 0xf0 && lead < 0xf8 ? 4U
                           : lead >= 0xe0              ? 3U
                           : lead >= 0xc0              ? 2U
                                                       : 0U;
  if (size == 0 || lead >= 0xf8 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_utf8_continuation(text[at + i])) return 0;
  }
  return size;
}

bool is_nearly_printable(std::string_view text) {
  std::size_t unprintable = 0;
  std::size_t run = 0;  // of 8-bit bytes that are not UTF-8
  const auto end_run = [&] { unprintable += std::exchange(run, 0) % kForeignRun; };
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t byte = byte_at(text, at);
    if (byte >= 0x7f) {
      const std::size_t size = utf8_size(text, at);
      if (size == 0) {
        ++run;
        ++at;
        continue;
      }
      end_run();
      at += size;
      continue;
    }
    end_run();
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') ++unprintable;
    ++at;
  }
  end_run();
  return unprintable * kUnprintableShare <= text.size();
}

struct WeightedTag {
  std::string_view text;
  unsigned weight;
};

constexpr std::array<WeightedTag, 10> kTags{{{"<html", 32},
                                             {"<script", 20},
                                             {"<script type=\"text/javascript\">", 31},
                                             {"<!doctype html", 33},
                                             {"<body", 20},
                                             {"<table", 20},
                                             {"<a", 10},
                                             {"<p", 10},
                                             {"<div", 10},
                                             {"<span", 10}}};

bool is_word_byte(char c) { return ascii::is_alnum(c) || c == '_'; }

/// Texts for programs, known by their first line, and their media type.
struct Card {
  std::string_view begin, type;
};
constexpr std::array<Card, 2> kCards{
    {{"BEGIN:VCALENDAR", "text/calendar"}, {"BEGIN:VCARD", "text/vcard"}}};

/// Whether rspamd reads a part by its type as a card or calendar: it needs no more than a colon
/// that is not the first character.
bool is_card(const MailPart& part) {
  const bool declared = (part.type.type == "text" || part.type.type == "application") &&
                        (part.type.subtype == "calendar" || part.type.subtype == "vcard");
  const std::size_t colon = declared ? part.body.find(':') : std::string_view::npos;
  return colon != std::string_view::npos && colon > 0;
}

/// What a part is that is no text for rspamd.
CardKind card_kind(const MailPart& part) {
  if (part.is_message()) return CardKind::kNone;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  constexpr std::size_t kBlanksMax = 64;
  std::string_view body = part.body;
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  body.remove_prefix(
      std::min(body.substr(0, kBlanksMax).find_first_not_of(" \t\r\n"), body.size()));
  const auto begins = [&](const Card& card) {
    return ascii::starts_with_ignoring_case(body, card.begin);
  };
  if (begins(kCards[0])) return CardKind::kCalendar;
  if (begins(kCards[1])) return CardKind::kContact;
  if (!is_card(part)) return CardKind::kNone;
  return part.type.subtype == "calendar" ? CardKind::kCalendar : CardKind::kContact;
}

/// A declared table (csv) is not a text. rspamd also looks at the bytes, which is not worth
/// copying.
bool is_text_type(const MailPart& part) {
  return part.type.type == "text" ? part.type.subtype != "csv" : part.is_report();
}

bool is_html_type(const MediaType& media) {
  return media.subtype == "html" || media.subtype == "xhtml" || media.subtype == "xhtml+xml";
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         ascii::equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

/// Whether a part is HTML by its bytes or its name (HASHING.md 4.3).
bool sniff_html(const Mail& mail, const MailPart& part) {
  if (part.type.type == "message") return false;
  if (part.parent && mail.parts[*part.parent].type.subtype == "encrypted") return false;
  if (!looks_like_text(part.body)) return false;
  const unsigned weight = html_weight(part.body);
  const std::string_view name = part.file_name();
  return weight >= kHtmlWeightSure || (weight >= kHtmlWeightOfFile && !name.empty()) ||
         ends_with_ignoring_case(name, ".htm") || ends_with_ignoring_case(name, ".html") ||
         (part.type.type == "application" && is_html_type(part.type));
}

/// Whether rspamd takes a part as an attachment. Without a name in the disposition, a name in the
/// Content-Type makes it one. A name in the disposition does not if the part is inline and has a
/// Content-ID, as HTML may refer to it.
bool is_attachment(const MailPart& part) {
  using Kind = Disposition::Kind;
  if (part.disposition.kind == Kind::kAttachment) return true;
  if (part.disposition.file_name.empty()) return part.type.named;
  return part.disposition.kind == Kind::kOther || !part.has_content_id;
}

/// Fills in `content` if the bytes alone decide, which have priority over the declared type.
bool read_known_content(const MailPart& part, PartContent& content, WorkMeter& meter) {
  const std::string_view image = sniff_image(part.body);
  if (!image.empty()) {
    if (!meter.spend(part.body.size())) return false;
    content.detected_type = "image/" + std::string(image);
    if (const auto info = read_image(part.body, image)) {
      content.kind = ContentKind::kImage;
      content.image = *info;
      return true;
    }
  }
  const std::string_view archive = sniff_archive(part.body);
  if (!archive.empty() && is_listable_archive(part.body, archive, part.file_name(), meter)) {
    content.kind = ContentKind::kArchive;
    content.detected_type = "application/" + std::string(archive);
    return true;
  }
  for (const Card& card : kCards) {
    if (part.body.substr(0, card.begin.size()) != card.begin || part.is_message()) continue;
    content.detected_type = card.type;
    return true;
  }
  const bool pdf = !part.is_message() && sniff_pdf(part.body);
  if (pdf) content.detected_type = "application/pdf";
  content.pdf = pdf || (part.type.type == "application" && part.type.subtype == "pdf");
  return content.pdf;
}

}  // namespace

std::string_view sniff_image(std::string_view body) {
  if (starts_with(body, "\x89PNG\r\n\x1a\n"sv)) return "png";
  if (starts_with(body, "GIF8"sv) && body.size() > 4 && ascii::is_digit(body[4])) return "gif";
  if (starts_with(body, "\xff\xd8\xff"sv)) return "jpeg";
  if (starts_with(body, "BM"sv) && body.size() >= 9 && body.substr(5, 4) == "\0\0\0\0"sv) {
    return "bmp";
  }
  return {};
}

std::optional<ImageInfo> read_image(std::string_view body, std::string_view subtype) {
  if (subtype == "png") return read_png(body);
  if (subtype == "gif") return read_gif(body);
  if (subtype == "jpeg") return read_jpeg(body);
  return subtype == "bmp" ? read_bmp(body) : std::nullopt;
}

bool sniff_pdf(std::string_view body) {
  body = body.substr(0, kPdfMarkEndMax);
  for (std::size_t at = body.find("DF-"); at != std::string_view::npos;
       at = body.find("DF-", at + 1)) {
    const std::string_view version = body.substr(at + 3, 3);
    const bool marked =
        at >= 2 && body[at - 2] == '%' && (body[at - 1] == 'P' || body[at - 1] == 'F');
    if (marked && version.size() == 3 && (version[0] == '1' || version[0] == '2') &&
        version[1] == '.' && ascii::is_digit(version[2])) {
      return true;
    }
  }
  return false;
}

std::string_view sniff_archive(std::string_view body) {
  if (starts_with(body, "PK\x03\x04"sv)) return "zip";
  if (starts_with(body, "Rar!\x1a\x07"sv)) return "x-rar";
  if (starts_with(body, "7z\xbc\xaf\x27\x1c"sv)) return "x-7z-compressed";
  if (starts_with(body, "\x1f\x8b\x08"sv)) return "gzip";
  return {};
}

bool looks_like_text(std::string_view body) {
  if (body.size() <= kWholeBytesMax) return is_nearly_printable(body);
  return is_nearly_printable(body.substr(0, kHeadBytes)) &&
         is_nearly_printable(body.substr(body.size() - kTailBytes));
}

unsigned html_weight(std::string_view body) {
  body = body.substr(0, kHtmlBytesMax);
  unsigned weight = 0;
  for (std::size_t at = body.find('<'); at != std::string_view::npos; at = body.find('<', at + 1)) {
    const std::string_view rest = body.substr(at);
    if (rest.size() < 2 || (!ascii::is_alpha(rest[1]) && rest[1] != '!')) continue;
    for (const WeightedTag& tag : kTags) {
      if (!ascii::starts_with_ignoring_case(rest, tag.text)) continue;
      const bool ends_in_word = is_word_byte(tag.text.back());
      if (ends_in_word && rest.size() > tag.text.size() && is_word_byte(rest[tag.text.size()])) {
        continue;
      }
      weight += tag.weight;
    }
  }
  return weight;
}

PartContent classify_part(const Mail& mail, const MailPart& part, WorkMeter& meter) {
  PartContent content;
  if (part.is_multipart()) {
    content.kind = ContentKind::kContainer;
    return content;
  }
  const bool text = is_text_type(part);
  if (read_known_content(part, content, meter) || is_card(part)) {
    const bool file = content.kind == ContentKind::kOther && is_attachment(part);
    if (file) content.kind = ContentKind::kAttachment;
  } else if ((text && is_html_type(part.type)) || sniff_html(mail, part)) {
    content.kind = ContentKind::kHtml;
    content.detected_type = "text/html";
  } else if (text) {
    content.kind = ContentKind::kText;
  } else if (is_attachment(part)) {
    content.kind = ContentKind::kAttachment;
  }
  const bool data = content.kind == ContentKind::kAttachment || content.kind == ContentKind::kOther;
  if (data && !content.pdf) content.card = card_kind(part);
  return content;
}

}  // namespace shingled::mime
