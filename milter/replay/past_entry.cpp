#include "milter/replay/past_entry.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "milter/names/list_evidence.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::replay {

namespace {

using history::FoundMessage;
using names::ListForm;
using names::Name;
using rules::Action;
using Met = PastMessage::Met;

/// Whether a symbol of a list counted then.
bool was_listed(const FoundMessage& message, std::string_view symbol) {
  return std::ranges::any_of(message.record.evidence, [&](const history::EvidenceRecord& one) {
    return !one.policy && one.effect == rules::Evidence::Effect::kCounts && one.symbol == symbol;
  });
}

/// The values of a row that stand for a name of the envelope; nullopt: it does not have them.
std::optional<std::vector<std::string>> values_of(const FoundMessage& message, Name name) {
  const BytesView bytes =
      name == Name::kRecipient ? message.row.recipients : message.row.sender_name;
  if (bytes.empty()) return std::nullopt;
  std::vector<std::string> out;
  for (std::string_view rest = as_text(bytes); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string address = names::name_form(features::NameRow::Form::kAddress, rest.substr(0, end));
    if (name == Name::kSenderDomain) address = names::domain_part(address);
    if (!address.empty()) out.push_back(std::move(address));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace

PastEntry::PastEntry(ListForm::Kind kind, const names::NamedEntry& entry,
                     const CounterKeyBytes& site, PolicyAction block_action)
    : kind_(kind),
      entry_(entry),
      block_action_(block_action),
      list_(names::NameList(entry.text(), ListForm{kind, {}})) {
  const bool block = kind == ListForm::Kind::kBlock;
  const std::string& text = entry.entry.text;
  if (by_envelope()) return;
  switch (entry.name) {
    case Name::kFrom:
      if (const auto address = mime::normal_address(text);
          address && !address->domain.empty() && !address->local.empty()) {
        add(PieceType::kFrom, address->text(), site);
        if (block) add(PieceType::kClaimedFrom, address->text(), site);
      }
      break;
    case Name::kFromDomain:
      add_domain(PieceType::kFromDomain, text, site);
      if (block) add_domain(PieceType::kClaimedFromDomain, text, site);
      break;
    case Name::kDkimDomain:
      add_domain(PieceType::kDkimDomain, text, site);
      break;
    case Name::kListId:
      if (!text.starts_with('.')) add(PieceType::kListId, text, site);
      break;
    case Name::kClientDomain:
      add_domain(PieceType::kClientDomain, text, site);
      break;
    case Name::kClient:
      add_client(site);
      break;
    default:
      break;
  }
  if (cells_.empty()) {
    why_unknown_ =
        "the history has whole addresses, registrable domains with all below them "
        "(.shop.example), "
        "list identifiers, and clients or networks of /24 and /64, but not this entry";
  }
}

void PastEntry::add(PieceType type, const std::string& text, const CounterKeyBytes& site) {
  cells_.push_back({type, static_cast<std::uint32_t>(piece_shingle(site, type, text))});
}

/// Pieces have registrable domains, so that only a whole one is distinguished.
void PastEntry::add_domain(PieceType type, const std::string& entry, const CounterKeyBytes& site) {
  if (!entry.starts_with('.')) return;
  const std::string domain = entry.substr(1);
  if (mime::registrable_domain(domain) == domain) add(type, domain, site);
}

void PastEntry::add_client(const CounterKeyBytes& site) {
  if (!entry_.entry.network) return;
  const Network& network = *entry_.entry.network;
  const bool is_v6 = network.address.bits() > 32;
  constexpr int kNetworkV4 = 24;
  constexpr int kNetworkV6 = 64;
  if (network.prefix_bits == static_cast<int>(network.address.bits()))
    add(PieceType::kClient, network.address.to_string(), site);
  if (network.prefix_bits == (is_v6 ? kNetworkV6 : kNetworkV4))
    add(PieceType::kClientNetwork, network.to_string(), site);
}

bool PastEntry::by_envelope() const {
  return entry_.name == Name::kSender || entry_.name == Name::kSenderDomain ||
         entry_.name == Name::kRecipient;
}

Met PastEntry::meets(const FoundMessage& message) const {
  if (!why_unknown_.empty()) return Met::kUnknown;
  if (by_envelope()) {
    auto values = values_of(message, entry_.name);
    if (!values) return Met::kUnknown;
    features::MessageNames names;
    names.set(entry_.name, *std::move(values));
    const auto found = names::look_up(list_, entry_.name, names, entry_.name);
    return found.answer == names::Found::Answer::kYes ? Met::kYes : Met::kNo;
  }
  // Without counters a row has no pieces.
  if (message.record.windows.empty()) return Met::kUnknown;
  const bool found = std::ranges::any_of(message.record.pieces, [&](const auto& piece) {
    return std::ranges::any_of(cells_, [&](const Cell& cell) {
      return cell.type == piece.type && cell.shingle == piece.shingle;
    });
  });
  return found ? Met::kYes : Met::kNo;
}

PastMessage PastEntry::of(const FoundMessage& message) const {
  const auto then = static_cast<Action>(message.row.action);
  PastMessage out{meets(message), then, message.record.score};
  if (kind_ == ListForm::Kind::kAllow) {
    out.action =
        std::min(then, entry_.name == Name::kRecipient ? Action::kAddHeader : Action::kPass);
  } else if (!was_listed(message, names::kAllowSymbol)) {
    out.action = std::max(then, rules::action_of(block_action_));
  }
  return out;
}

}  // namespace shingled::milter::replay
