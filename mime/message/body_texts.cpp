#include "mime/message/body_texts.h"

#include <algorithm>
#include <string_view>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

bool is_text(const MailPart& part, const PartContent& content) {
  const bool text = content.kind == ContentKind::kText || content.kind == ContentKind::kHtml;
  return text && !part.is_attached();
}

bool is_blank(std::string_view body) {
  return std::all_of(body.begin(), body.end(), ascii::is_space);
}

/// What a multipart still takes.
enum class Wants : std::uint8_t {
  kNothing,  ///< it is not part of the body, or has given its text
  kOne,
  kAll  ///< alternatives
};

}  // namespace

std::vector<std::uint32_t> body_texts(const Mail& mail, std::span<const PartContent> contents) {
  std::vector<std::uint32_t> texts;
  std::vector<Wants> wants(mail.parts.size(), Wants::kNothing);
  for (std::uint32_t i = 0; i < mail.parts.size(); ++i) {
    const MailPart& part = mail.parts[i];
    if (part.parent && wants[*part.parent] == Wants::kNothing) continue;
    if (part.is_multipart()) {
      wants[i] = part.type.subtype == "alternative" ? Wants::kAll : Wants::kOne;
    } else if (is_text(part, contents[i]) && !is_blank(part.body)) {
      texts.push_back(i);
      for (auto above = part.parent; above; above = mail.parts[*above].parent) {
        if (wants[*above] == Wants::kOne) wants[*above] = Wants::kNothing;
      }
    }
  }
  return texts;
}

}  // namespace shingled::mime
