#include "mime/pieces/header_text.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"
#include "mime/url/ascii_host.h"

namespace shingled::mime {

namespace {

/// The text between the first "<" and the ">" after it, or all of it.
std::string_view in_angles(std::string_view text) {
  const std::size_t begin = text.find('<');
  if (begin == std::string_view::npos) return text;
  text.remove_prefix(begin + 1);
  return text.substr(0, text.find('>'));
}

/// Fields that programs which write mail set, and servers on the way hardly ever do.
bool is_of_writer(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>({"bcc",
                                                                  "cc",
                                                                  "content-disposition",
                                                                  "content-language",
                                                                  "content-transfer-encoding",
                                                                  "content-type",
                                                                  "date",
                                                                  "errors-to",
                                                                  "feedback-id",
                                                                  "from",
                                                                  "importance",
                                                                  "in-reply-to",
                                                                  "list-unsubscribe",
                                                                  "message-id",
                                                                  "mime-version",
                                                                  "organization",
                                                                  "precedence",
                                                                  "references",
                                                                  "reply-to",
                                                                  "sender",
                                                                  "subject",
                                                                  "thread-index",
                                                                  "thread-topic",
                                                                  "to",
                                                                  "user-agent",
                                                                  "x-mailer",
                                                                  "x-mimeole",
                                                                  "x-msmail-priority",
                                                                  "x-priority"});
  return std::ranges::any_of(
      kNames, [&](std::string_view known) { return ascii::equal_ignoring_case(name, known); });
}

}  // namespace

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : ascii::trim_space(text)) {
    if (!ascii::is_space(c)) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

std::string with_zero_digits(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii::is_digit(c) ? '0' : c;
  return out;
}

std::string normal_mailer(std::string_view value) { return with_zero_digits(single_spaced(value)); }

std::string message_id_domain(std::string_view value) {
  const std::string id = single_spaced(unfold(value));
  const std::string_view inside = in_angles(id);
  const std::size_t at = inside.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view domain = ascii::trim_space(inside.substr(at + 1));
  return ascii_host(domain.substr(0, domain.find(' ')));
}

std::string list_id(std::string_view value) {
  const std::string text = single_spaced(unfold(value));
  return ascii::to_lower(ascii::trim_space(in_angles(text)));
}

std::string header_names(std::span<const HeaderField> fields) {
  std::string out;
  std::size_t count = 0;
  for (const HeaderField& field : fields) {
    if (!is_of_writer(field.name)) continue;
    if (count++ == kOrderedNamesMax) break;
    if (!out.empty()) out += ':';
    out += field.name;
  }
  return out;
}

std::string header_order(std::span<const HeaderField> fields) {
  for (std::size_t i = fields.size(); i > 0; --i) {
    if (!ascii::equal_ignoring_case(fields[i - 1].name, "Received")) continue;
    fields = fields.subspan(i);
    break;
  }
  std::string out;
  for (const HeaderField& field : fields.first(std::min(fields.size(), kOrderedNamesMax))) {
    if (!out.empty()) out += ':';
    out += field.name;
  }
  return out;
}

}  // namespace shingled::mime
