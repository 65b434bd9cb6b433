#include "milter/counters/message_pieces.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "milter/counters/bounce.h"
#include "milter/counters/envelope.h"
#include "milter/counters/mailing_list.h"
#include "milter/counters/sender_proof.h"
#include "mime/analysis_parts.h"
#include "mime/pieces/header_pieces.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/part_pieces.h"
#include "mime/pieces/piece_list.h"
#include "mime/url/host_name.h"

namespace shingled::milter::counters {

namespace {

using mime::PieceList;

/// The registrable domain of From, and whether it is proved.
struct FromDomain {
  std::string text;
  bool proved = false;
};

/// `list`: a From that it has rewritten to its own address says nothing about who wrote.
FromDomain add_from_pieces(const mime::FromField& from, bool proved, const MailingList& list,
                           PieceList& pieces) {
  if (!from.address) return {};
  FromDomain domain{.text = mime::registrable_domain(from.address->domain), .proved = proved};
  pieces.add(proved ? PieceType::kFromDomain : PieceType::kClaimedFromDomain, domain.text);
  const std::string address = from.address->text();
  if (!list.addresses.contains(address))
    pieces.add(proved ? PieceType::kFrom : PieceType::kClaimedFrom, address);
  return domain;
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

/// The pairs of a user and the recipients. They have a bound of their own: a user who sprays is
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
  const auto& fields = parts.header.fields;
  const NormalEnvelope normal = normal_envelope(envelope, options.recipients_max);
  const mime::FromField from = mime::read_from(fields, parts.options.compat, work);
  const bool proved = from.only && from.address &&
                      (!normal.user.empty() || is_proved(message.believed, from.address->domain));

  PieceList pieces(options);
  add_envelope_pieces(normal, pieces);
  const MailingList list = believed_list(mailing_list_of(fields), message.believed, options);
  const FromDomain domain = add_from_pieces(from, proved, list, pieces);
  for (const std::string& signer : signing_domains(message.believed)) {
    pieces.add(PieceType::kDkimDomain, signer);
  }
  mime::TextCollector read(message.analysis, options, work);
  if (message.texts == nullptr) read.add_all();
  mime::TextCollector& texts = message.texts != nullptr ? *message.texts : read;
  const bool quotes =
      texts.quotes() || std::ranges::find(parts.of_others, true) != parts.of_others.end();
  const bool theirs = quotes && mime::has_answer_mark(parts.subject);
  mime::add_header_pieces(fields, theirs ? std::string_view() : parts.subject, from, pieces);
  mime::add_hash_pieces(message.hashes, pieces);
  pieces.take_all(texts.pieces());
  remove_traces(list, pieces);
  mime::add_attachment_pieces(message.analysis, message.hashes, options, out_of_time, work, pieces);
  remove_boilerplate(bounce_of(normal.sender, fields, parts), domain.text, pieces);
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
