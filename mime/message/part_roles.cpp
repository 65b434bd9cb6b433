#include "mime/message/part_roles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

bool is_text(const MailPart& part, const PartContent& content) {
  const bool text = content.kind == ContentKind::kText || content.kind == ContentKind::kHtml ||
                    content.card == CardKind::kCalendar;
  return text && !part.is_attached();
}

bool is_blank_body(std::string_view body) {
  return std::all_of(body.begin(), body.end(), ascii::is_space);
}

/// How many texts of a multipart still belong to the body.
enum class Wants : std::uint8_t {
  kNothing,  ///< not part of the body, or its text was found
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
    if (part.holds_signed) {
      wants[i] = Wants::kOne;
    } else if (part.is_multipart()) {
      wants[i] = part.type.subtype == "alternative" ? Wants::kAll : Wants::kOne;
    } else if (is_text(part, contents[i]) && !is_blank_body(part.body)) {
      texts.push_back(i);
      if (contents[i].card == CardKind::kCalendar)
        continue;  // a program shows an invitation beside the text
      for (auto above = part.parent; above; above = mail.parts[*above].parent) {
        if (wants[*above] == Wants::kOne) wants[*above] = Wants::kNothing;
      }
    }
  }
  return texts;
}

std::optional<AlternativePair> find_alternative_pair(const Mail& mail,
                                                     std::span<const PartContent> contents) {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < mail.parts.size() && texts.size() <= 2; ++i) {
    const ContentKind kind = contents[i].kind;
    const bool text = kind == ContentKind::kText || kind == ContentKind::kHtml;
    if (text && !mail.parts[i].foreign_to_rspamd) texts.push_back(i);
  }
  if (texts.size() != 2) return std::nullopt;
  const MailPart& first = mail.parts[texts[0]];
  const MailPart& second = mail.parts[texts[1]];
  if (!first.parent || first.parent != second.parent) return std::nullopt;
  const MailPart& above = mail.parts[*first.parent];
  if (!above.is_multipart() || above.type.subtype != "alternative") return std::nullopt;
  const bool first_html = contents[texts[0]].kind == ContentKind::kHtml;
  const bool second_html = contents[texts[1]].kind == ContentKind::kHtml;
  const bool first_is_chosen =
      first_html || (!second_html && first.body.size() > second.body.size());
  return first_is_chosen ? AlternativePair{texts[0], texts[1]}
                         : AlternativePair{texts[1], texts[0]};
}

namespace {

bool is_copy(const MailPart& part) {
  const std::string& subtype = part.type.subtype;
  if (subtype == "rfc822-headers" || part.is_report()) return true;
  return part.type.type == "message" &&
         (subtype == "rfc822" || subtype == "global" || subtype == "feedback-report");
}

/// Which multiparts hold something besides copies of other messages, an empty part too.
std::vector<bool> with_own_parts(const Mail& mail) {
  const std::size_t count = mail.parts.size();
  std::vector<std::uint32_t> copies(count);  // of their children
  std::vector<bool> own(count);
  for (std::size_t i = count; i-- > 0;) {
    const MailPart& part = mail.parts[i];
    own[i] = part.is_multipart() && part.children > copies[i];
    const bool copy = is_copy(part) || (part.is_multipart() && !own[i]);
    if (copy && part.parent) ++copies[*part.parent];
  }
  return own;
}

}  // namespace

std::vector<bool> parts_of_others(const Mail& mail) {
  const std::vector<bool> own = with_own_parts(mail);
  std::vector<bool> others(mail.parts.size());
  std::vector<bool> beside(mail.parts.size());  // in a multipart, at any depth, with own parts
  for (std::size_t i = 0; i < mail.parts.size(); ++i) {
    const MailPart& part = mail.parts[i];
    if (!part.parent) continue;
    beside[i] = beside[*part.parent] || own[*part.parent];
    others[i] = others[*part.parent] || (beside[i] && is_copy(part));
  }
  return others;
}

std::vector<bool> parts_of_quotes(const Mail& mail, const std::vector<bool>& quoting) {
  const std::size_t count = mail.parts.size();
  std::vector<bool> related(count);  // multiparts with such a text
  for (std::size_t i = 0; i < count; ++i) {
    if (!quoting[i]) continue;
    for (auto above = mail.parts[i].parent; above; above = mail.parts[*above].parent) {
      if (mail.parts[*above].type.subtype == "related") related[*above] = true;
    }
  }
  std::vector<bool> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const MailPart& part = mail.parts[i];
    out[i] = part.parent && related[*part.parent] && part.has_content_id && part.children == 0 &&
             part.type.type == "image";
  }
  return out;
}

}  // namespace shingled::mime
