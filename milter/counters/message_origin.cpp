#include "milter/counters/message_origin.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/ascii.h"
#include "milter/counters/mail_date.h"
#include "mime/pieces/header_text.h"

namespace shingled::milter::counters {

namespace {

constexpr std::size_t kReceivedMax = 100;

std::string first_value(std::span<const mime::HeaderField> fields, std::string_view name) {
  for (const mime::HeaderField& field : fields) {
    if (ascii::equal_ignoring_case(field.name, name)) return mime::single_spaced(field.value);
  }
  return {};
}

/// A name that a server found for an address; "unknown" means none.
std::string host_before(std::string_view text) {
  text = ascii::trim_space(text);
  const std::size_t begin = text.find_last_of(" (");
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  if (ascii::equal_ignoring_case(text, "unknown") || text.find('.') == std::string_view::npos) {
    return {};
  }
  return std::string(text);
}

/// The text between two others; empty if they are not there.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string() : std::string(text.substr(0, end));
}

/// What a Received field says about the client.
enum class Client : std::uint8_t { kStranger, kOurs, kUnreadable };

/// The text of a field before its " by ". A HELO may have any text, and it stands before what the
/// server wrote itself; so all searches begin at the end.
std::string_view from_part(std::string_view received) {
  received = received.substr(0, received.rfind(" for <"));
  return received.substr(0, received.rfind(" by "));
}

/// Where the address begins in "from HELO (NAME [IP]) (...)", or, as Exim writes it,
/// "from NAME ([IP] helo=HELO)"; npos if there is none.
std::size_t find_address(std::string_view from) {
  const std::size_t last = std::max(from.rfind("])") + 1, from.rfind("] (may be forged)") + 1);
  const std::size_t begin = last == 0 ? from.find('[') : from.rfind('[', last - 1);
  if (begin == std::string_view::npos) return begin;
  const bool is_helo = from.substr(0, begin).ends_with("helo=");
  return is_helo ? from.find('[') : begin;
}

/// Reads "from HELO (NAME [IP]) by ...". What our own servers hand to each other is ours.
Client read_client(std::string_view received, const std::vector<Network>& local,
                   Envelope& envelope) {
  if (!ascii::starts_with_ignoring_case(received, "from ")) return Client::kOurs;
  const std::string_view from = from_part(received);
  if (received.substr(from.size()).find(" with LMTP") != std::string_view::npos)
    return Client::kOurs;
  const std::size_t begin = find_address(from);
  if (begin == std::string_view::npos) return Client::kUnreadable;
  std::string text = between(from.substr(begin), "[", "]");
  if (ascii::starts_with_ignoring_case(text, "IPv6:")) text.erase(0, 5);
  const auto ip = IpAddress::parse(text);
  if (!ip) return Client::kUnreadable;
  if (contains(local, *ip)) return Client::kOurs;
  const std::string_view before = from.substr(5, begin - 5);
  envelope.client = ip;
  envelope.helo = std::string(before.substr(0, before.find(' ')));
  envelope.client_name = host_before(before);
  envelope.user = between(received.substr(begin), "(Authenticated sender: ", ")");
  return Client::kStranger;
}

}  // namespace

bool is_own_hop(std::string_view value, const std::vector<Network>& local) {
  Envelope ignored;
  return read_client(mime::single_spaced(value), local, ignored) == Client::kOurs;
}

MessageOrigin origin_of(std::span<const mime::HeaderField> fields,
                        const std::vector<Network>& local) {
  MessageOrigin origin;
  std::string recipient;
  for (const char* name : {"X-Original-To", "Envelope-To", "Delivered-To"}) {
    if (recipient.empty()) recipient = first_value(fields, name);
  }
  // Fields below the first stranger's were written by strangers.
  auto client = Client::kOurs;
  std::size_t seen = 0;
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "Received") || ++seen > kReceivedMax) continue;
    const std::string received = mime::single_spaced(field.value);
    const std::size_t end = received.rfind(';');
    if (seen == 1 && end != std::string::npos) {
      origin.time = parse_mail_date(std::string_view(received).substr(end + 1));
    }
    if (client != Client::kOurs) continue;
    client = read_client(received, local, origin.envelope);
    if (recipient.empty()) recipient = between(received, " for <", ">");
  }
  if (!origin.time) origin.time = parse_mail_date(first_value(fields, "Date"));
  origin.envelope.sender = first_value(fields, "Return-Path");
  if (!recipient.empty()) origin.envelope.recipients.push_back(std::move(recipient));
  return origin;
}

}  // namespace shingled::milter::counters
