#include "mime/fingerprint/piece_type.h"

#include <algorithm>
#include <array>

#include "config/base/assert.h"

namespace shingled {

namespace {

using enum PieceTypeRow::Kind;
using enum PieceType;

constexpr auto kTypes = std::to_array<PieceTypeRow>({
    {kText, "text", kSingle, "digest of a text part, as rspamd makes it"},
    {kRobustText, "robust_text", kSingle, "digest of the body's text, the robust one"},
    {kStructure, "structure", kSingle, "digest of the HTML structure"},
    {kSubject, "subject", kSingle, "subject without prefixes, digits as 0, look-alikes folded"},
    {kExactSubject, "exact_subject", kSingle, "subject, decoded"},
    {kSender, "sender", kSingle, "envelope sender; <> for a bounce"},
    {kSenderDomain, "sender_domain", kSingle, "domain of the envelope sender"},
    {kRecipient, "recipient", kSingle, "envelope recipient"},
    {kFromDomain, "from_domain", kSingle, "domain of a From address that is proved"},
    {kFrom, "from", kSingle, "From address that is proved by DKIM, SPF or a login"},
    {kClient, "client", kSingle, "IP address of the client"},
    {kClaimedFromDomain, "claimed_from_domain", kSingle, "domain of a From address without proof"},
    {kClaimedFrom, "claimed_from", kSingle, "From address without proof"},
    {kDisplayName, "display_name", kSingle, "display name of From, look-alikes folded"},
    {kClientNetwork, "client_network", kSingle, "/24 or /64 network of the client"},
    {kHelo, "helo", kSingle, "HELO name of the client"},
    {kClientDomain, "client_domain", kSingle, "domain of the client's verified host name"},
    {kUser, "user", kSingle, "user of SMTP AUTH"},
    {kDkimDomain, "dkim_domain", kSingle, "domain of a DKIM signature that passed"},
    {kListId, "list_id", kSingle, "List-Id"},
    {kMailer, "mailer", kSingle, "X-Mailer or User-Agent, digits as 0"},
    {kReplyTo, "reply_to", kSingle, "Reply-To address"},
    {kMessageIdDomain, "message_id_domain", kSingle, "right side of Message-ID"},
    {kHeaderOrder, "header_order", kSingle, "names of the headers in their order"},
    {kHeaderNames, "header_names", kSingle, "names of the headers that writers of mail set"},
    {kSenderRecipient, "sender_recipient", kPair, "envelope sender and recipient"},
    {kUniqueRecipients, "unique_recipients", kUnique, "different recipients of a sender"},
    {kClientSender, "client_sender", kPair, "client and envelope sender"},
    {kUniqueSenders, "unique_senders", kUnique, "different senders of a client"},
    {kFromNetwork, "from_network", kPair, "From domain and network of the client"},
    {kUniqueNetworks, "unique_networks", kUnique, "different networks of a From domain"},
    {kLinkFrom, "link_from", kPair, "domain of a link and From domain"},
    {kUniqueLinkSenders, "unique_link_senders", kUnique, "different From domains of a link"},
    {kTextRecipient, "text_recipient", kPair, "robust text and recipient"},
    {kUniqueTextRecipients, "unique_text_recipients", kUnique, "different recipients of a text"},
    {kTextSender, "text_sender", kPair, "robust text and envelope sender"},
    {kUniqueTextSenders, "unique_text_senders", kUnique, "different senders of a text"},
    {kAttachmentName, "attachment_name", kSingle, "file name of an attachment, digits as 0"},
    {kAttachmentKind, "attachment_kind", kSingle, "extension and real content type"},
    {kUserRecipient, "user_recipient", kPair, "user and recipient"},
    {kUniqueUserRecipients, "unique_user_recipients", kUnique, "different recipients of a user"},
    {kUserCountry, "user_country", kPair, "user and country of the client"},
    {kUniqueCountries, "unique_countries", kUnique, "different countries of a user"},
    {kRecipientSender, "recipient_sender", kPair, "recipient and envelope sender"},
    {kUniqueRecipientSenders, "unique_recipient_senders", kUnique,
     "different senders to a recipient"},
    {kLink, "link", kSingle, "scheme, host and path of a link"},
    {kLinkHost, "link_host", kSingle, "host of a link"},
    {kLinkDomain, "link_domain", kSingle, "domain of a link"},
    {kLinkPath, "link_path", kSingle, "host of a link and the first step of its path"},
    {kAddress, "address", kSingle, "mail address in a text"},
    {kPhone, "phone", kSingle, "telephone number in a text, digits only"},
    {kWallet, "wallet", kSingle, "bitcoin or ethereum address or IBAN in a text"},
    {kPhrase, "phrase", kSingle, "eight words in a row of the body, eight such phrases of a text"},
    {kShortText, "short_text", kSingle, "words of a text that is too short for a phrase"},
    {kLinkShape, "link_shape", kSingle, "path and query of a link, digits as 0, without its host"},
    {kForeignHost, "foreign_host", kSingle, "host of a link that is not one of the mailing list"},
    {kNotice, "notice", kSingle, "the same of a notice, such as how to unsubscribe"},
    {kAttachment, "attachment", kSingle, "checksum of an attachment or of a file inside one"},
    {kImage, "image", kSingle, "checksum of an image"},
    {kHiddenPhrase, "hidden_phrase", kSingle,
     "a phrase of HTML that no reader sees: title, text hidden by styles"},
    {kImageLink, "image_link", kSingle, "scheme, host and path of a picture that HTML loads"},
    {kAttachmentRecipient, "attachment_recipient", kPair, "attachment and recipient"},
    {kUniqueAttachmentRecipients, "unique_attachment_recipients", kUnique,
     "different recipients of an attachment"},
    {kAttachmentSender, "attachment_sender", kPair, "attachment and envelope sender"},
    {kUniqueAttachmentSenders, "unique_attachment_senders", kUnique,
     "different senders of an attachment"},
    {kStoredHash, "stored_hash", kSingle, "digest of a stored hash that matched"},
    {kHashReporter, "hash_reporter", kPair, "stored hash and reporter"},
    {kUniqueReporters, "unique_reporters", kUnique, "different reporters of a stored hash"},
    {kKnownFile, "known_file", kSingle, "known file that matched"},
    {kMessageReporter, "message_reporter", kPair, "message and reporter"},
    {kUniqueMessageReporters, "unique_message_reporters", kUnique,
     "different reporters of a message"},
    {kQuotedPhrase, "quoted_phrase", kSingle, "a phrase of what the body quotes"},
});

constexpr std::size_t kNumbers = 256;

/// Row by number; a row without a name is no type.
constexpr auto kByNumber = [] {
  std::array<std::uint8_t, kNumbers> out{};
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    out[static_cast<std::uint8_t>(kTypes[i].type)] = static_cast<std::uint8_t>(i + 1);
  return out;
}();

constexpr bool pairs_precede_uniques() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (i > 0 && kTypes[i - 1].type >= kTypes[i].type) return false;
    const bool after_pair = i > 0 && kTypes[i - 1].kind == kPair;
    if (after_pair != (kTypes[i].kind == kUnique)) return false;
    if (after_pair && static_cast<int>(kTypes[i].type) != static_cast<int>(kTypes[i - 1].type) + 1)
      return false;
  }
  return kTypes.back().kind != kPair;
}
static_assert(pairs_precede_uniques(), "a unique type has the number after its pair type");

}  // namespace

std::span<const PieceTypeRow> piece_types() { return kTypes; }

const PieceTypeRow* find_piece_type(std::uint64_t number) {
  if (number >= kNumbers || kByNumber[number] == 0) return nullptr;
  return &kTypes[kByNumber[number] - 1U];
}

const PieceTypeRow* find_piece_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &PieceTypeRow::name);
  return found == kTypes.end() ? nullptr : &*found;
}

const PieceTypeRow& row_of(PieceType type) {
  const PieceTypeRow* row = find_piece_type(static_cast<std::uint64_t>(type));
  SHINGLED_ASSERT(row != nullptr);
  return *row;
}

std::string_view to_string(PieceType type) { return row_of(type).name; }

}  // namespace shingled
