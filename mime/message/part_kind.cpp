#include "mime/message/part_kind.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "mime/attachment/archive_shape.h"

namespace shingled::mime {
namespace {

/// Text that is data for programs, by its first line; its media type.
struct Card {
  std::string_view begin, type;
};
constexpr std::array<Card, 2> kCards{
    {{"BEGIN:VCALENDAR", "text/calendar"}, {"BEGIN:VCARD", "text/vcard"}}};

/// rspamd looks at the bytes of a table, too, which is not worth it: it takes what says so.
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

/// Whether the bytes (or a name that promises it) make a part HTML (HASHING.md 4.3).
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

/// What rspamd takes for one. The name of a Content-Type counts where the disposition has none, and
/// makes it an attachment, whatever else it says; that of an inline part with a Content-ID, which
/// HTML may refer to, does not.
bool is_attachment(const MailPart& part) {
  using Kind = Disposition::Kind;
  if (part.disposition.kind == Kind::kAttachment) return true;
  if (part.disposition.file_name.empty()) return part.type.named;
  return part.disposition.kind == Kind::kOther || !part.has_content_id;
}

/// Fills in what the bytes alone say, which is more than a declared type.
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

PartContent classify_part(const Mail& mail, const MailPart& part, WorkMeter& meter) {
  PartContent content;
  if (part.is_multipart()) {
    content.kind = ContentKind::kContainer;
    return content;
  }
  const bool text = is_text_type(part);
  if (read_known_content(part, content, meter)) {
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
  return content;
}

}  // namespace shingled::mime
