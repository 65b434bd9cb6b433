#include "milter/reports/kept_message.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::reports {

using storage::counters::Direction;
using storage::counters::Pair;
using storage::sqlite::ReportedHash;

namespace {

/// The recipient that gives a piece; empty if it does not depend on one.
std::string_view recipient_of(const mime::Piece& piece) {
  switch (piece.type) {
    case PieceType::kRecipient:
    case PieceType::kRecipientSender:
      return piece.first;
    case PieceType::kSenderRecipient:
    case PieceType::kTextRecipient:
    case PieceType::kAttachmentRecipient:
    case PieceType::kUserRecipient:
      return piece.second;
    default:
      return {};
  }
}

/// The header as the server that delivers it writes it.
std::vector<mime::HeaderField> delivered(std::span<const mime::HeaderField> fields,
                                         std::string_view sender) {
  std::vector<mime::HeaderField> out;
  out.reserve(fields.size() + 1);
  if (!sender.empty()) out.push_back({"Return-Path", sender});
  out.insert(out.end(), fields.begin(), fields.end());
  return out;
}

}  // namespace

KeptMessage kept_message(const judge::MessageView& view, std::span<const mime::Piece> pieces,
                         std::span<const Pair> keys, const counters::Envelope& envelope,
                         const CounterKeyBytes& site, std::span<const TaughtRule> rules) {
  const Direction direction = envelope.user.empty() ? Direction::kIn : Direction::kOut;
  std::vector<Pair> of_all;
  std::map<std::string_view, std::vector<Pair>> by_recipient;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Pair key = keys[i];
    key.key.direction = direction;  // a header does not tell which networks are ours
    const std::string_view recipient = recipient_of(pieces[i]);
    if (!recipient.empty()) {
      by_recipient[recipient].push_back(key);
    } else if (pieces[i].type != PieceType::kUserCountry) {
      of_all.push_back(key);
    }
  }
  KeptMessage out;
  out.message = reported_message(view, delivered(view.header().fields, envelope.sender),
                                 std::move(of_all), direction, site, rules);
  for (auto& [recipient, given] : by_recipient) {
    if (out.recipients.size() == kKeptRecipientsMax) break;
    out.recipients.push_back(
        {piece_shingle(site, PieceType::kRecipient, recipient), reported_keys(std::move(given))});
  }
  return out;
}

ReportedMessage reported_message(const KeptMessage& kept, std::span<const std::uint64_t> addresses,
                                 std::span<const TaughtRule> rules) {
  ReportedMessage out = kept.message;
  auto own = std::ranges::find_if(kept.recipients, [&](const KeptMessage::Recipient& one) {
    return std::ranges::find(addresses, one.address) != addresses.end();
  });
  if (own == kept.recipients.end() && kept.recipients.size() == 1) own = kept.recipients.begin();
  if (own != kept.recipients.end()) {
    std::vector<Pair> keys;
    std::ranges::merge(out.keys, own->keys, std::back_inserter(keys), {}, &Pair::key, &Pair::key);
    out.keys = std::move(keys);
  }
  std::erase_if(out.hashes, [&](ReportedHash& hash) {
    for (const TaughtRule& rule : rules) {
      const auto list = std::ranges::find(rule.lists, hash.flag, &ReportedHash::flag);
      if (list == rule.lists.end()) continue;
      hash.per_spam = list->per_spam;
      hash.per_ham = list->per_ham;
      return false;
    }
    return true;
  });
  return out;
}

}  // namespace shingled::milter::reports
