#include "milter/counters/sender_proof.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "mime/url/ascii_host.h"
#include "mime/url/public_suffix.h"

namespace shingled::milter::counters {

namespace {

using mime::AuthenticationResults;
using mime::AuthResult;

/// The domain of "user@domain", "@domain" or "domain", in the form of DNS.
std::string domain_of(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) text.remove_prefix(at + 1);
  if (text.ends_with('>')) text.remove_suffix(1);
  return mime::ascii_host(text);
}

bool is_aligned(std::string_view property, std::string_view domain) {
  const std::string other = domain_of(property);
  return !other.empty() && mime::registrable_domain(other) == mime::registrable_domain(domain);
}

/// d= of a signature; servers that leave it out name i=, whose domain is below it.
std::optional<std::string_view> signer_of(const AuthResult& result) {
  const auto domain = result.property("header.d");
  return domain ? domain : result.property("header.i");
}

bool proves(const AuthResult& result, std::string_view domain) {
  if (result.result != "pass") return false;
  if (result.method == "dkim") {
    const auto signer = signer_of(result);
    return signer && is_aligned(*signer, domain);
  }
  if (result.method == "spf") {
    const auto sender = result.property("smtp.mailfrom");
    return sender && is_aligned(*sender, domain);
  }
  if (result.method != "dmarc") return false;
  const auto from = result.property("header.from");
  return from && is_aligned(*from, domain);
}

}  // namespace

std::vector<AuthenticationResults> believed_results(std::span<const mime::HeaderField> fields,
                                                    std::span<const std::string> authserv_ids) {
  std::vector<AuthenticationResults> out;
  if (authserv_ids.empty()) return out;
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "Authentication-Results")) continue;
    auto read = mime::read_authentication_results(field.value);
    const bool ours =
        read && std::any_of(authserv_ids.begin(), authserv_ids.end(), [&](const std::string& id) {
          return ascii::equal_ignoring_case(id, read->server);
        });
    if (ours) out.push_back(*std::move(read));
    if (out.size() == kBelievedFieldsMax) break;
  }
  return out;
}

bool is_proved(std::span<const AuthenticationResults> believed, std::string_view domain) {
  if (domain.empty()) return false;
  for (const AuthenticationResults& field : believed) {
    for (const AuthResult& result : field.results) {
      if (proves(result, domain)) return true;
    }
  }
  return false;
}

std::vector<std::string> signing_domains(std::span<const AuthenticationResults> believed) {
  std::vector<std::string> out;
  for (const AuthenticationResults& field : believed) {
    for (const AuthResult& result : field.results) {
      if (result.method != "dkim" || result.result != "pass") continue;
      const auto signer = signer_of(result);
      std::string domain = signer ? domain_of(*signer) : std::string();
      const bool known = std::find(out.begin(), out.end(), domain) != out.end();
      if (!domain.empty() && !known) out.push_back(std::move(domain));
    }
  }
  return out;
}

}  // namespace shingled::milter::counters
