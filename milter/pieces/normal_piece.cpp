#include "milter/pieces/normal_piece.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "config/system/socket_address.h"
#include "mime/pieces/file_kind.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/link.h"
#include "mime/pieces/mail_address.h"
#include "mime/pieces/phone_numbers.h"
#include "mime/pieces/wallets.h"
#include "mime/url/host_name.h"

namespace shingled::milter::pieces {

namespace {

constexpr int kNetworkBitsV4 = 24;
constexpr int kNetworkBitsV6 = 64;

using Piece = std::optional<std::string>;

/// nullopt for an empty text: there is no such piece.
Piece present(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

Piece address_form(std::string_view text) {
  if (text == "<>") return std::string(text);
  if (text.size() > 1 && text.starts_with('<') && text.ends_with('>')) {
    text = text.substr(1, text.size() - 2);
  }
  const auto address = mime::normal_address(text);
  return address ? present(address->text()) : std::nullopt;
}

/// The registrable domain of a host, or of the host of an address or link.
Piece domain_form(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    const auto link = mime::read_link(text);
    return link ? present(link->domain()) : std::nullopt;
  }
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) text.remove_prefix(at + 1);
  return present(mime::registrable_domain(mime::ascii_host(text)));
}

Piece host_form(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    const auto link = mime::read_link(text);
    return link ? present(link->host) : std::nullopt;
  }
  return present(mime::ascii_host(text));
}

Piece client_form(std::string_view text) {
  const auto ip = IpAddress::parse(text);
  return ip ? present(ip->to_string()) : std::nullopt;
}

Piece network_form(std::string_view text) {
  const auto network = Network::parse(text);
  if (!network) return std::nullopt;
  const bool v4 = network->address.family == IpAddress::Family::kV4;
  return present(Network::of(network->address, v4 ? kNetworkBitsV4 : kNetworkBitsV6).to_string());
}

std::optional<mime::Link> link_of(std::string_view text) {
  if (auto link = mime::read_link(text)) return link;
  return mime::read_link("http://" + std::string(text));
}

Piece link_form(std::string_view text) {
  const auto link = link_of(text);
  return link ? present(link->text()) : std::nullopt;
}

Piece link_path_form(std::string_view text) {
  const auto link = link_of(text);
  return link ? present(link->first_step()) : std::nullopt;
}

Piece phone_form(std::string_view text) {
  auto found = mime::find_phones(text, 1);
  return found.empty() ? mime::phone_of_link(text) : present(std::move(found.front()));
}

Piece wallet_form(std::string_view text) {
  auto found = mime::find_wallets(text, 1);
  return found.empty() ? std::nullopt : present(std::move(found.front()));
}

Piece lower_form(std::string_view text) {
  return present(ascii::to_lower(ascii::trim_space(text)));
}

Piece subject_form(std::string_view text) { return present(mime::normal_subject(text)); }
Piece name_form(std::string_view text) { return present(mime::normal_display_name(text)); }
Piece mailer_form(std::string_view text) { return present(mime::normal_mailer(text)); }
Piece list_form(std::string_view text) { return present(mime::list_id(text)); }
Piece file_form(std::string_view text) { return present(mime::normal_file_name(text)); }
Piece message_domain_form(std::string_view text) {
  return text.find('@') == std::string_view::npos ? present(mime::ascii_host(text))
                                                  : present(mime::message_id_domain(text));
}

struct FormRow {
  PieceType type;
  Piece (*form)(std::string_view);
};

constexpr std::array<FormRow, 34> kForms = {{{PieceType::kText, lower_form},
                                             {PieceType::kRobustText, lower_form},
                                             {PieceType::kStructure, lower_form},
                                             {PieceType::kSubject, subject_form},
                                             {PieceType::kSender, address_form},
                                             {PieceType::kSenderDomain, domain_form},
                                             {PieceType::kRecipient, address_form},
                                             {PieceType::kFromDomain, domain_form},
                                             {PieceType::kFrom, address_form},
                                             {PieceType::kClient, client_form},
                                             {PieceType::kClaimedFromDomain, domain_form},
                                             {PieceType::kClaimedFrom, address_form},
                                             {PieceType::kDisplayName, name_form},
                                             {PieceType::kClientNetwork, network_form},
                                             {PieceType::kHelo, host_form},
                                             {PieceType::kClientDomain, domain_form},
                                             {PieceType::kUser, lower_form},
                                             {PieceType::kDkimDomain, host_form},
                                             {PieceType::kListId, list_form},
                                             {PieceType::kMailer, mailer_form},
                                             {PieceType::kReplyTo, address_form},
                                             {PieceType::kMessageIdDomain, message_domain_form},
                                             {PieceType::kAttachmentName, file_form},
                                             {PieceType::kLink, link_form},
                                             {PieceType::kLinkHost, host_form},
                                             {PieceType::kLinkDomain, domain_form},
                                             {PieceType::kLinkPath, link_path_form},
                                             {PieceType::kForeignHost, host_form},
                                             {PieceType::kAddress, address_form},
                                             {PieceType::kPhone, phone_form},
                                             {PieceType::kWallet, wallet_form},
                                             {PieceType::kAttachment, lower_form},
                                             {PieceType::kImage, lower_form},
                                             {PieceType::kStoredHash, lower_form}}};

struct PairRow {
  PieceType pair;
  PairParts parts;
};

constexpr std::array<PairRow, 12> kPairs = {
    {{PieceType::kSenderRecipient, {PieceType::kSender, PieceType::kRecipient}},
     {PieceType::kClientSender, {PieceType::kClient, PieceType::kSender}},
     {PieceType::kFromNetwork, {PieceType::kFromDomain, PieceType::kClientNetwork}},
     {PieceType::kLinkFrom, {PieceType::kLinkDomain, PieceType::kFromDomain}},
     {PieceType::kTextRecipient, {PieceType::kRobustText, PieceType::kRecipient}},
     {PieceType::kTextSender, {PieceType::kRobustText, PieceType::kSender}},
     {PieceType::kUserRecipient, {PieceType::kUser, PieceType::kRecipient}},
     {PieceType::kUserCountry, {PieceType::kUser, std::nullopt}},
     {PieceType::kRecipientSender, {PieceType::kRecipient, PieceType::kSender}},
     {PieceType::kAttachmentRecipient, {PieceType::kAttachment, PieceType::kRecipient}},
     {PieceType::kAttachmentSender, {PieceType::kAttachment, PieceType::kSender}},
     {PieceType::kHashReporter, {PieceType::kStoredHash, std::nullopt}}}};

}  // namespace

std::optional<std::string> normal_piece(PieceType type, std::string_view text) {
  if (is_unique(type)) {
    const auto pair = static_cast<PieceType>(static_cast<unsigned>(type) - 1);
    const auto first = parts_of(pair).first;
    return first ? normal_piece(*first, text) : present(std::string(text));
  }
  const auto* const row = std::find_if(kForms.begin(), kForms.end(),
                                       [&](const FormRow& known) { return known.type == type; });
  return row == kForms.end() ? present(std::string(text)) : row->form(text);
}

PairParts parts_of(PieceType pair) {
  const auto* const row = std::find_if(kPairs.begin(), kPairs.end(),
                                       [&](const PairRow& known) { return known.pair == pair; });
  return row == kPairs.end() ? PairParts{} : row->parts;
}

}  // namespace shingled::milter::pieces
