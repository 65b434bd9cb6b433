#include "milter/counters/message_origin.h"

#include <array>
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

/// Reads "from HELO (NAME [IP]) by ..."; false if it has no address of a stranger.
bool read_client(std::string_view received, const std::vector<Network>& local, Envelope& envelope) {
  if (!ascii::starts_with_ignoring_case(received, "from ")) return false;
  const std::string_view from = received.substr(5, received.find(" by ") - 5);
  std::string text = between(from, "[", "]");
  if (ascii::starts_with_ignoring_case(text, "IPv6:")) text.erase(0, 5);
  const auto ip = IpAddress::parse(text);
  if (!ip || contains(local, *ip)) return false;
  envelope.client = ip;
  envelope.helo = std::string(from.substr(0, from.find(' ')));
  envelope.client_name = host_before(from.substr(0, from.find('[')));
  envelope.user = between(received, "(Authenticated sender: ", ")");
  return true;
}

}  // namespace

MessageOrigin origin_of(std::span<const mime::HeaderField> fields,
                        const std::vector<Network>& local) {
  MessageOrigin origin;
  std::string recipient;
  for (const char* name : {"X-Original-To", "Envelope-To", "Delivered-To"}) {
    if (recipient.empty()) recipient = first_value(fields, name);
  }
  bool has_client = false;
  std::size_t seen = 0;
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "Received") || ++seen > kReceivedMax) continue;
    const std::string received = mime::single_spaced(field.value);
    const std::size_t end = received.rfind(';');
    if (seen == 1 && end != std::string::npos) {
      origin.time = parse_mail_date(std::string_view(received).substr(end + 1));
    }
    if (has_client) continue;
    has_client = read_client(received, local, origin.envelope);
    if (recipient.empty()) recipient = between(received, " for <", ">");
  }
  if (!origin.time) origin.time = parse_mail_date(first_value(fields, "Date"));
  origin.envelope.sender = first_value(fields, "Return-Path");
  if (!recipient.empty()) origin.envelope.recipients.push_back(std::move(recipient));
  return origin;
}

}  // namespace shingled::milter::counters
