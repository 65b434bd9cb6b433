#include "milter/counters/message_pieces.h"

#include <string>

#include "milter/counters/envelope_pieces.h"
#include "milter/counters/sender_proof.h"
#include "mime/analysis_parts.h"
#include "mime/message/header_block.h"
#include "mime/pieces/header_pieces.h"
#include "mime/pieces/part_pieces.h"
#include "mime/pieces/text_collector.h"
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
    pieces.add_pair(PieceType::kUserRecipient, envelope.user, recipient);
    add_pairs(PieceType::kTextRecipient, PieceType::kRobustText, recipient, pieces);
    add_pairs(PieceType::kAttachmentRecipient, PieceType::kAttachment, recipient, pieces);
  }
}

}  // namespace

MessagePieces message_pieces(const CountedMessage& message, const Envelope& envelope,
                             const PieceOptions& options, mime::WorkMeter& work,
                             const std::function<bool()>& out_of_time) {
  const mime::Analysis::Parts& parts = message.analysis.parts();
  const mime::HeaderBlock header = mime::split_header_block(message.bytes, parts.options);
  const NormalEnvelope normal = normal_envelope(envelope, options.recipients_max);
  const auto believed = believed_results(header.fields, options.authserv_ids);
  const mime::FromField from = mime::read_from(header.fields, parts.options.compat, work);
  const bool proved = from.only && from.address &&
                      (!normal.user.empty() || is_proved(believed, from.address->domain));

  PieceList pieces(options);
  add_envelope_pieces(normal, pieces);
  const FromDomain domain = add_from_pieces(from, proved, pieces);
  for (const std::string& signer : signing_domains(believed)) {
    pieces.add(PieceType::kDkimDomain, signer);
  }
  mime::add_header_pieces(header.fields, parts.subject, from, pieces);
  mime::add_hash_pieces(message.hashes, pieces);
  if (message.texts != nullptr) {
    pieces.add_all(*message.texts);
  } else {
    mime::TextCollector texts(message.analysis, options, work);
    texts.add_all();
    pieces.add_all(texts.pieces());
  }
  mime::add_attachment_pieces(message.analysis, message.hashes, options, out_of_time, work, pieces);
  add_pairs_of(normal, domain, pieces);

  MessagePieces out;
  out.dropped = pieces.dropped();
  out.pieces = pieces.take();
  return out;
}

}  // namespace shingled::milter::counters
