#include "mime/message/inner_entity.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/base/ascii.h"
#include "mime/cms/signed_data.h"
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

namespace {

constexpr Steps kStepsASignedByte = 6;  // octet strings of one byte each

bool may_be_signed(const MailPart& part) {
  if (part.is_multipart() || part.is_message()) return false;
  return part.is_labelled_signed() || ascii::to_lower(part.file_name()).ends_with(".p7m");
}

}  // namespace

std::string_view open_signed_part(Mail& mail, std::uint32_t index, const MimeOptions& options,
                                  std::size_t room, WorkMeter& meter) {
  MailPart& part = mail.parts[index];
  if (!may_be_signed(part) || !meter.spend(part.body.size(), kStepsASignedByte)) return {};
  std::string storage;
  const SignedData data = read_signed_data(part.body, storage);
  if (data.kind == SignedData::Kind::kBroken) {
    const bool cut = part.body.size() >= options.part_bytes_max;
    if (cut) mail.add_missing("part size limit reached");
    mail.add_defect("broken signed part");
  }
  if (data.content.empty()) return {};
  if (part.depth + 1 >= options.depth_max) {
    mail.add_missing("depth limit reached");
    return {};
  }
  if (data.content.size() > room) {
    mail.add_missing("decoded size limit reached");
    return {};
  }
  part.holds_signed = true;
  const bool stored = data.content.data() == storage.data();
  return stored ? std::string_view(mail.decoded.emplace_back(std::move(storage))) : data.content;
}

bool is_foreign_below(const MailPart& above, bool in_signed) {
  return above.foreign_to_rspamd || (in_signed && above.is_multipart()) ||
         (above.holds_signed && !above.is_labelled_signed());
}

}  // namespace shingled::mime
