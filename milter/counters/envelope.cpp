#include "milter/counters/envelope.h"

#include <set>
#include <utility>

#include "config/base/ascii.h"
#include "milter/ratelimit/envelope_address.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::counters {

namespace {

using mime::NormalAddress;

constexpr int kNetworkBitsV4 = 24;
constexpr int kNetworkBitsV6 = 64;
constexpr std::size_t kCountryLetters = 2;

/// The mailbox of a path; without a local part for the empty one.
NormalAddress mailbox_of(std::string_view path) {
  const ratelimit::EnvelopeAddress address = ratelimit::parse_envelope_address(path);
  return mime::normal_address(address.text()).value_or(NormalAddress{});
}

bool is_bounce(std::string_view path) {
  return !path.empty() && ratelimit::parse_envelope_address(path).is_empty();
}

std::string domain_of(std::string_view host) {
  return host.empty() ? std::string() : mime::registrable_domain(mime::ascii_host(host));
}

std::string network_of(const IpAddress& client) {
  const bool v4 = client.family == IpAddress::Family::kV4;
  return Network::of(client, v4 ? kNetworkBitsV4 : kNetworkBitsV6).to_string();
}

std::string country_of(std::string_view code) {
  if (!ascii::is_word(code, kCountryLetters, "") || code.size() < kCountryLetters) return {};
  return {ascii::to_upper(code[0]), ascii::to_upper(code[1])};
}

}  // namespace

std::string normal_sender(std::string_view path) {
  return is_bounce(path) ? std::string(kBounceSender) : mailbox_of(path).text();
}

NormalEnvelope normal_envelope(const Envelope& envelope, std::uint32_t recipients_max) {
  NormalEnvelope out;
  out.client_domain = domain_of(envelope.client_name);
  const bool bounce = is_bounce(envelope.sender);
  const NormalAddress sender = mailbox_of(envelope.sender);
  out.sender = bounce ? std::string(kBounceSender) : sender.text();
  out.sender_domain = bounce ? out.client_domain : domain_of(sender.domain);
  out.user = ascii::to_lower(ascii::trim_space(envelope.user));
  std::set<std::string> seen;
  for (const std::string& path : envelope.recipients) {
    std::string recipient = mailbox_of(path).text();
    if (recipient.empty() || !seen.insert(recipient).second) continue;
    const bool of_user = !out.user.empty() && out.user_recipients.size() < kUserRecipientsMax;
    if (of_user) out.user_recipients.push_back(recipient);
    if (out.recipients.size() < recipients_max) {
      out.recipients.push_back(std::move(recipient));
    } else {
      ++out.recipients_dropped;
    }
  }
  if (envelope.client) {
    out.client = envelope.client->to_string();
    out.network = network_of(*envelope.client);
  }
  out.helo = mime::ascii_host(ascii::trim_space(envelope.helo));
  out.country = country_of(envelope.country);
  return out;
}

void add_envelope_pieces(const NormalEnvelope& envelope, mime::PieceList& pieces) {
  pieces.add(PieceType::kSender, envelope.sender);
  pieces.add(PieceType::kSenderDomain, envelope.sender_domain);
  for (const std::string& recipient : envelope.recipients) {
    pieces.add(PieceType::kRecipient, recipient);
  }
  pieces.note_dropped(envelope.recipients_dropped);
  pieces.add(PieceType::kClient, envelope.client);
  pieces.add(PieceType::kClientNetwork, envelope.network);
  pieces.add(PieceType::kHelo, envelope.helo);
  pieces.add(PieceType::kClientDomain, envelope.client_domain);
  pieces.add(PieceType::kUser, envelope.user);
}

}  // namespace shingled::milter::counters
