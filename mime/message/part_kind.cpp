#include "mime/message/part_kind.h"

#include <algorithm>
#include <array>

#include "mime/ascii.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

/// Text types that are data for programs.
constexpr std::array kNotText{"csv"sv, "calendar"sv, "vcard"sv, "x-vcard"sv, "directory"sv};

bool is_text_type(const MailPart& part) {
  if (part.type.type == "text") {
    return std::find(kNotText.begin(), kNotText.end(), part.type.subtype) == kNotText.end();
  }
  return part.is_report();
}

bool is_html_type(const MediaType& media) {
  return media.subtype == "html" || media.subtype == "xhtml" || media.subtype == "xhtml+xml";
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         ascii::equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

/// Whether the bytes (or a name that promises it) make a part HTML (hashing.md 4.3).
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

bool is_attachment(const MailPart& part) {
  return part.disposition.kind == Disposition::Kind::kAttachment ||
         (!part.file_name().empty() && !part.has_content_id);
}

}  // namespace

PartContent classify_part(const Mail& mail, const MailPart& part) {
  PartContent content;
  if (part.is_multipart()) {
    content.kind = ContentKind::kContainer;
    return content;
  }
  const bool text = is_text_type(part);
  if ((text && is_html_type(part.type)) || sniff_html(mail, part)) {
    content.kind = ContentKind::kHtml;
    content.detected_type = "text/html";
  } else if (text) {
    content.kind = ContentKind::kText;
  } else if (const auto image = sniff_image(part.body)) {
    content.kind = ContentKind::kImage;
    content.image = *image;
    content.detected_type = "image/" + std::string(image->subtype);
  } else if (const std::string_view archive = sniff_archive(part.body); !archive.empty()) {
    content.kind = ContentKind::kArchive;
    content.detected_type = "application/" + std::string(archive);
  } else if (is_attachment(part)) {
    content.kind = ContentKind::kAttachment;
  }
  return content;
}

}  // namespace shingled::mime
