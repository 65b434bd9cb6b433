#include "mime/pieces/header_pieces.h"

#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"
#include "mime/message/header_words.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/mail_address.h"

namespace shingled::mime {

namespace {

/// More than one is enough to know.
constexpr std::size_t kFromMailboxesMax = 2;

/// The first field of a name; empty without one.
std::string_view first_field(std::span<const HeaderField> fields, std::string_view name) {
  for (const HeaderField& field : fields) {
    if (ascii::equal_ignoring_case(field.name, name)) return field.value;
  }
  return {};
}

}  // namespace

FromField read_from(std::span<const HeaderField> fields, Compat compat, WorkMeter& meter) {
  FromField out;
  std::vector<Mailbox> mailboxes;
  std::size_t count = 0;
  for (const HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "From")) continue;
    ++count;
    if (mailboxes.empty()) mailboxes = read_mailboxes(field.value, kFromMailboxesMax);
  }
  // A second field, even an empty one, may be the one that a reader is shown.
  out.only = count == 1 && mailboxes.size() == 1;
  if (mailboxes.empty()) return out;
  out.address = normal_address(mailboxes.front().address);
  out.name = decode_header_words(mailboxes.front().name, compat, meter);
  return out;
}

void add_header_pieces(std::span<const HeaderField> fields, std::string_view subject,
                       const FromField& from, PieceList& pieces) {
  pieces.add(PieceType::kSubject, normal_subject(subject));
  pieces.add(PieceType::kExactSubject, subject);
  pieces.add(PieceType::kDisplayName, normal_display_name(from.name));
  pieces.add(PieceType::kListId, list_id(first_field(fields, "List-Id")));
  std::string_view mailer = first_field(fields, "X-Mailer");
  if (mailer.empty()) mailer = first_field(fields, "User-Agent");
  pieces.add(PieceType::kMailer, normal_mailer(unfold(mailer)));
  const auto reply = read_mailboxes(first_field(fields, "Reply-To"), 1);
  const auto address = reply.empty() ? std::nullopt : normal_address(reply.front().address);
  if (address) pieces.add(PieceType::kReplyTo, address->text());
  pieces.add(PieceType::kMessageIdDomain, message_id_domain(first_field(fields, "Message-ID")));
  pieces.add(PieceType::kHeaderOrder, header_order(fields));
  pieces.add(PieceType::kHeaderNames, header_names(fields));
}

}  // namespace shingled::mime
