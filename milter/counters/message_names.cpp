#include "milter/counters/message_names.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "milter/counters/envelope.h"
#include "milter/counters/sender_proof.h"
#include "milter/names/name_entry.h"
#include "milter/ratelimit/envelope_address.h"
#include "mime/message/header_words.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/mail_address.h"

namespace shingled::milter::counters {

namespace {

using features::MessageNames;
using features::Name;
using features::NameRow;
using names::domain_part;
using names::name_form;

/// Collects values of a name, within the bounds.
class Values {
 public:
  void add(std::string value) {
    if (value.empty() || std::ranges::find(values_, value) != values_.end()) return;
    if (value.size() > kNameBytesMax || values_.size() == kNameValuesMax) {
      complete_ = false;
    } else {
      values_.push_back(std::move(value));
    }
  }
  void leave_out() { complete_ = false; }
  [[nodiscard]] const std::vector<std::string>& all() const { return values_; }
  void put(Name name, MessageNames& out) && { out.set(name, std::move(values_), complete_); }

 private:
  std::vector<std::string> values_;
  bool complete_ = true;
};

void set_one(Name name, std::string value, MessageNames& out) {
  Values values;
  values.add(std::move(value));
  std::move(values).put(name, out);
}

struct WrittenFrom {
  Values addresses;
  Values domains;
  bool only = false;  ///< one field with one address
};

WrittenFrom written_from(std::span<const mime::HeaderField> fields) {
  constexpr std::size_t kMailboxesMax = 64;
  constexpr std::size_t kFieldsMax = 16;
  WrittenFrom out;
  std::size_t found = 0;
  std::size_t mailboxes = 0;
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "From")) continue;
    if (++found > kFieldsMax) {
      out.addresses.leave_out();
      out.domains.leave_out();
      break;
    }
    const auto boxes = mime::read_mailboxes(field.value, kMailboxesMax);
    mailboxes += boxes.size();
    for (const mime::Mailbox& box : boxes) {
      const std::string address = name_form(NameRow::Form::kAddress, box.address);
      out.domains.add(std::string(domain_part(address)));
      out.addresses.add(address);
    }
  }
  out.only = found == 1 && mailboxes == 1 && out.addresses.all().size() == 1;
  return out;
}

void set_from(const NamedMessage& message, bool logged_in,
              std::span<const mime::AuthenticationResults> believed, MessageNames& out) {
  WrittenFrom from = written_from(message.fields);
  if (from.only && from.domains.all().size() == 1) {
    const std::string& domain = from.domains.all().front();
    if (logged_in || is_proved(believed, domain)) {
      out.set_one(Name::kFrom, from.addresses.all().front());
      out.set_one(Name::kFromDomain, domain);
    }
  }
  std::move(from.addresses).put(Name::kClaimedFrom, out);
  std::move(from.domains).put(Name::kClaimedFromDomain, out);
}

std::string_view first_field_of(std::span<const mime::HeaderField> fields, std::string_view name) {
  for (const mime::HeaderField& field : fields)
    if (ascii::equal_ignoring_case(field.name, name)) return field.value;
  return {};
}

void set_list(const NamedMessage& message, bool logged_in,
              std::span<const mime::AuthenticationResults> believed, MessageNames& out) {
  std::string id =
      name_form(NameRow::Form::kDomain, mime::list_id(first_field_of(message.fields, "List-Id")));
  if (id.empty()) {
    out.set(Name::kProvedListId, {});
  } else if (id.size() <= kNameBytesMax && (logged_in || is_proved(believed, id))) {
    out.set_one(Name::kProvedListId, id);
  }
  set_one(Name::kListId, std::move(id), out);
}

/// The mailbox of a path; kBounceSender for the empty one.
std::string mailbox_form(const std::string& path) {
  const ratelimit::EnvelopeAddress address = ratelimit::parse_envelope_address(path);
  if (address.is_empty()) return std::string(kBounceSender);
  return name_form(NameRow::Form::kAddress, address.text());
}

void set_sender(const std::string& path, MessageNames& out) {
  if (path.empty()) return;
  std::string sender = mailbox_form(path);
  set_one(Name::kSenderDomain, std::string(domain_part(sender)), out);
  set_one(Name::kSender, std::move(sender), out);
}

void set_envelope(const Envelope& envelope, bool whole, MessageNames& out) {
  set_sender(envelope.sender, out);
  Values recipients;
  for (const std::string& path : envelope.recipients) recipients.add(mailbox_form(path));
  if (!envelope.recipients.empty()) std::move(recipients).put(Name::kRecipient, out);
  if (envelope.client) out.set_one(Name::kClient, envelope.client->to_string());
  if (whole || !envelope.client_name.empty())
    set_one(Name::kClientDomain, name_form(NameRow::Form::kDomain, envelope.client_name), out);
  if (!envelope.helo.empty())
    set_one(Name::kHelo, name_form(NameRow::Form::kDomain, envelope.helo), out);
  if (whole || !envelope.user.empty())
    set_one(Name::kUser, name_form(NameRow::Form::kText, envelope.user), out);
}

}  // namespace

MessageNames message_names(const NamedMessage& message, const Envelope& envelope,
                           mime::WorkMeter& work) {
  static const std::vector<Network> kNone;
  MessageNames out;
  const auto believed = believed_results(message.fields, message.authserv_ids,
                                         message.local != nullptr ? *message.local : kNone);
  const bool logged_in = !envelope.user.empty();
  set_from(message, logged_in, believed, out);
  set_list(message, logged_in, believed, out);
  if (!believed.empty()) {
    Values domains;
    for (std::string& domain : signing_domains(believed)) domains.add(std::move(domain));
    std::move(domains).put(Name::kDkimDomain, out);
  }
  const std::string subject =
      mime::decode_subject(first_field_of(message.fields, "Subject"), message.compat, work);
  set_one(Name::kSubject, name_form(NameRow::Form::kText, subject), out);
  set_envelope(envelope, message.whole_envelope, out);
  return out;
}

}  // namespace shingled::milter::counters
