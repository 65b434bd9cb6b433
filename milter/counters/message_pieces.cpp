#include "milter/counters/message_pieces.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>

#include "config/base/ascii.h"
#include "milter/counters/bounce.h"
#include "milter/counters/envelope_pieces.h"
#include "milter/counters/sender_proof.h"
#include "mime/analysis_parts.h"
#include "mime/message/header_block.h"
#include "mime/pieces/header_pieces.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/link.h"
#include "mime/pieces/normal_subject.h"
#include "mime/pieces/part_pieces.h"
#include "mime/pieces/piece_list.h"
#include "mime/url/ascii_host.h"
#include "mime/url/public_suffix.h"

namespace shingled::milter::counters {

namespace {

using mime::PieceList;

/// The registrable domain of From, and whether it is proved.
struct FromDomain {
  std::string text;
  bool proved = false;
};

FromDomain add_from_pieces(const mime::FromField& from, bool proved, PieceList& pieces) {
  if (!from.address) return {};
  FromDomain domain{.text = mime::registrable_domain(from.address->domain), .proved = proved};
  pieces.add(proved ? PieceType::kFromDomain : PieceType::kClaimedFromDomain, domain.text);
  pieces.add(proved ? PieceType::kFrom : PieceType::kClaimedFrom, from.address->text());
  return domain;
}

/// The domains of the mailing list that a message came over; empty if there is none. Senders of
/// advertisements write List-Id and List-Unsubscribe, but leave out the other fields.
std::set<std::string> list_domains(std::span<const mime::HeaderField> fields) {
  constexpr std::size_t kWordsMax = 32;  // the look-up of a domain costs as much as a link
  static constexpr std::array<std::string_view, 4> kNames = {"List-Post", "List-Archive",
                                                             "X-BeenThere", "X-Mailing-List"};
  std::set<std::string> out;
  std::size_t words = 0;
  for (const mime::HeaderField& field : fields) {
    if (words == kWordsMax) break;
    const auto is_name = [&](std::string_view name) {
      return ascii::equal_ignoring_case(field.name, name);
    };
    if (std::ranges::none_of(kNames, is_name)) continue;
    std::string value = mime::single_spaced(mime::unfold(field.value));
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '<' || c == '>'; }, ' ');
    for (std::string_view rest = value; !rest.empty() && words < kWordsMax; ++words) {
      const std::size_t size = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, size);
      rest.remove_prefix(std::min(size + 1, rest.size()));
      const std::size_t at = word.rfind('@');
      if (const auto link = mime::read_link(word)) {
        out.insert(link->domain());
      } else if (at != std::string_view::npos) {
        out.insert(mime::registrable_domain(mime::ascii_host(word.substr(at + 1))));
      }
    }
  }
  return out;
}

/// Only domains that are proved, where proofs are known: a sender must not name the hosts of others
/// as those of his list. What remains counts for the domain itself (dkim_domain, sender).
std::set<std::string> believed_lists(std::set<std::string> domains,
                                     std::span<const mime::AuthenticationResults> believed,
                                     const PieceOptions& options) {
  if (options.authserv_ids.empty()) return domains;
  std::erase_if(domains, [&](const std::string& domain) { return !is_proved(believed, domain); });
  return domains;
}

/// Leaves only the hosts that the list does not add itself. Without a list a footer is the
/// sender's.
void settle_foreign_hosts(const std::set<std::string>& list, PieceList& pieces) {
  if (list.empty()) {
    std::vector<std::string> hosts;
    for (const std::string_view host : pieces.of_type(PieceType::kLinkHost)) {
      hosts.emplace_back(host);
    }
    for (const std::string& host : hosts) pieces.add(PieceType::kForeignHost, host);
    return;
  }
  pieces.remove(PieceType::kForeignHost, [&](std::string_view host) {
    return list.contains(mime::registrable_domain(host));
  });
}

/// A pair of each piece of type `of` and `second`.
void add_pairs(PieceType pair, PieceType of, std::string_view second, PieceList& pieces) {
  for (const std::string_view first : pieces.of_type(of)) pieces.add_pair(pair, first, second);
}

void add_pairs_of(const NormalEnvelope& envelope, const FromDomain& from, PieceList& pieces) {
  pieces.add_pair(PieceType::kClientSender, envelope.client, envelope.sender);
  // A forged From must not give its domain further networks.
  if (from.proved) pieces.add_pair(PieceType::kFromNetwork, from.text, envelope.network);
  pieces.add_pair(PieceType::kUserCountry, envelope.user, envelope.country);
  add_pairs(PieceType::kLinkFrom, PieceType::kLinkDomain, from.text, pieces);
  add_pairs(PieceType::kTextSender, PieceType::kRobustText, envelope.sender, pieces);
  add_pairs(PieceType::kAttachmentSender, PieceType::kAttachment, envelope.sender, pieces);
  for (const std::string& recipient : envelope.recipients) {
    pieces.add_pair(PieceType::kSenderRecipient, envelope.sender, recipient);
    pieces.add_pair(PieceType::kRecipientSender, recipient, envelope.sender);
    add_pairs(PieceType::kTextRecipient, PieceType::kRobustText, recipient, pieces);
    add_pairs(PieceType::kAttachmentRecipient, PieceType::kAttachment, recipient, pieces);
  }
}

/// The pairs of a user and his recipients. They have a bound of their own: a user who sprays is
/// found by their number.
void add_user_recipients(const NormalEnvelope& envelope, PieceOptions options,
                         std::vector<mime::Piece>& out) {
  options.pairs_max = options.pieces_max = kUserRecipientsMax;
  PieceList pairs(options);
  for (const std::string& recipient : envelope.user_recipients) {
    pairs.add_pair(PieceType::kUserRecipient, envelope.user, recipient);
  }
  if (pairs.size() == 0) return;
  std::vector<mime::Piece> added = pairs.take();
  const auto place = std::upper_bound(out.begin(), out.end(), added.front());
  out.insert(place, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

MessagePieces message_pieces(const CountedMessage& message, const Envelope& envelope,
                             const PieceOptions& options, mime::WorkMeter& work,
                             const std::function<bool()>& out_of_time) {
  const mime::Analysis::Parts& parts = message.analysis.parts();
  const mime::HeaderBlock header = mime::split_header_block(message.bytes, parts.options);
  const NormalEnvelope normal = normal_envelope(envelope, options.recipients_max);
  static const std::vector<Network> kNone;
  const auto believed = believed_results(header.fields, options.authserv_ids,
                                         message.local != nullptr ? *message.local : kNone);
  const mime::FromField from = mime::read_from(header.fields, parts.options.compat, work);
  const bool proved = from.only && from.address &&
                      (!normal.user.empty() || is_proved(believed, from.address->domain));

  PieceList pieces(options);
  add_envelope_pieces(normal, pieces);
  const FromDomain domain = add_from_pieces(from, proved, pieces);
  for (const std::string& signer : signing_domains(believed)) {
    pieces.add(PieceType::kDkimDomain, signer);
  }
  mime::TextCollector read(message.analysis, options, work);
  if (message.texts == nullptr) read.add_all();
  mime::TextCollector& texts = message.texts != nullptr ? *message.texts : read;
  const bool quotes =
      texts.quotes() || std::ranges::find(parts.of_others, true) != parts.of_others.end();
  const bool theirs = quotes && mime::has_answer_mark(parts.subject);
  mime::add_header_pieces(header.fields, theirs ? std::string_view() : parts.subject, from, pieces);
  mime::add_hash_pieces(message.hashes, pieces);
  pieces.take_all(texts.pieces());
  settle_foreign_hosts(believed_lists(list_domains(header.fields), believed, options), pieces);
  mime::add_attachment_pieces(message.analysis, message.hashes, options, out_of_time, work, pieces);
  remove_boilerplate(bounce_of(normal.sender, header.fields, parts), domain.text, pieces);
  add_pairs_of(normal, domain, pieces);

  MessagePieces out;
  out.dropped = pieces.dropped();
  out.pieces = pieces.take();
  add_user_recipients(normal, options, out.pieces);
  return out;
}

bool is_from_proved(std::span<const mime::Piece> pieces) {
  return std::ranges::find(pieces, PieceType::kFrom, &mime::Piece::type) != pieces.end();
}

}  // namespace shingled::milter::counters
