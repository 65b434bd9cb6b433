#include "milter/ratelimit/envelope_address.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::ratelimit {

namespace {

constexpr std::array<std::string_view, 5> kBounceSenders = {"postmaster", "mailer-daemon", "null",
                                                            "fetchmail-daemon", "mdaemon"};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// "@a,@b:user@c" becomes "user@c" (RFC 5321 4.1.2: ignore routes).
std::string_view without_route(std::string_view path) {
  if (!path.starts_with('@')) return path;
  const std::size_t colon = path.find(':');
  return colon == std::string_view::npos ? path : path.substr(colon + 1);
}

/// "\"a b\\c\"" becomes "a bc".
std::string without_quotes(std::string_view local) {
  if (local.size() < 2 || local.front() != '"' || local.back() != '"') return std::string(local);
  local = local.substr(1, local.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < local.size(); ++i) {
    if (local[i] == '\\' && i + 1 < local.size()) ++i;
    out += local[i];
  }
  return out;
}

}  // namespace

std::string EnvelopeAddress::text() const { return domain.empty() ? local : local + '@' + domain; }

EnvelopeAddress parse_envelope_address(std::string_view path) {
  path = without_blanks(path);
  if (path.size() >= 2 && path.front() == '<' && path.back() == '>') {
    path = without_blanks(path.substr(1, path.size() - 2));
  }
  path = without_route(path);
  const std::size_t at = path.rfind('@');
  std::string_view domain = at == std::string_view::npos ? "" : path.substr(at + 1);
  while (domain.ends_with('.')) domain.remove_suffix(1);
  return {ascii::to_lower(without_quotes(path.substr(0, at))), ascii::to_lower(domain)};
}

EnvelopeAddress normal_mailbox(const EnvelopeAddress& address) {
  auto normal = mime::normal_address(address.text());
  if (!normal) return address;
  return {std::move(normal->local), std::move(normal->domain)};
}

std::string in_dns(std::string_view name) {
  const std::size_t at = name.rfind('@');
  const std::size_t begin = at == std::string_view::npos ? 0 : at + 1;
  return std::string(name.substr(0, begin)) + mime::ascii_host(name.substr(begin));
}

std::string normal_login(std::string_view login) {
  const std::string out = ascii::to_lower(without_blanks(login));
  return out.find('@') == std::string::npos ? out : in_dns(out);
}

bool is_bounce_sender(const EnvelopeAddress& sender) {
  return sender.local.empty() || std::find(kBounceSenders.begin(), kBounceSenders.end(),
                                           sender.local) != kBounceSenders.end();
}

}  // namespace shingled::milter::ratelimit
