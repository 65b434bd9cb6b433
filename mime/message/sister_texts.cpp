#include "mime/message/sister_texts.h"

#include <cstdint>
#include <vector>

namespace shingled::mime {

std::optional<SisterTexts> find_sister_texts(const Mail& mail,
                                             std::span<const PartContent> contents) {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < mail.parts.size() && texts.size() <= 2; ++i) {
    const ContentKind kind = contents[i].kind;
    if (kind == ContentKind::kText || kind == ContentKind::kHtml) texts.push_back(i);
  }
  if (texts.size() != 2) return std::nullopt;
  const MailPart& first = mail.parts[texts[0]];
  const MailPart& second = mail.parts[texts[1]];
  if (!first.parent || first.parent != second.parent) return std::nullopt;
  const MailPart& above = mail.parts[*first.parent];
  if (!above.is_multipart() || above.type.subtype != "alternative") return std::nullopt;
  const bool first_html = contents[texts[0]].kind == ContentKind::kHtml;
  const bool second_html = contents[texts[1]].kind == ContentKind::kHtml;
  const bool first_speaks = first_html || (!second_html && first.body.size() > second.body.size());
  return first_speaks ? SisterTexts{texts[0], texts[1]} : SisterTexts{texts[1], texts[0]};
}

}  // namespace shingled::mime
