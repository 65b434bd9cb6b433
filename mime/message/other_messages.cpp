#include "mime/message/other_messages.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace shingled::mime {
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
