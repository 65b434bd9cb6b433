#include "mime/message/digest_part.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"

namespace shingled::mime {

std::string_view without_first_break(std::string_view body) {
  if (body.empty() || !is_line_break(body[0])) return body;
  return body.substr(body.substr(0, 2) == "\r\n" ? 2 : 1);
}

std::optional<std::size_t> begin_of_digested(std::string_view body, const MimeOptions& options) {
  const std::string_view message = without_first_break(body);
  if (message.empty() || is_line_break(message[0])) return std::nullopt;
  const HeaderBlock header = split_header_block(message, options);
  const bool typed =
      std::any_of(header.fields.begin(), header.fields.end(), [](const HeaderField& field) {
        return ascii::starts_with_ignoring_case(field.name, "content-");
      });
  return typed ? std::optional(body.size() - message.size()) : std::nullopt;
}

}  // namespace shingled::mime
