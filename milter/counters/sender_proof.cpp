#include "milter/counters/sender_proof.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/base/ascii.h"
#include "milter/counters/message_origin.h"
#include "mime/url/host_name.h"

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

/// Takes away what a field above has said, or would have said.
class Belief {
 public:
  /// Leaves the results that are believed. A field without results ends it.
  void sift(AuthenticationResults& field) {
    ended_ = field.results.empty();
    std::erase_if(field.results, [this](const AuthResult& result) { return is_late(result); });
    for (const AuthResult& result : field.results) methods_.insert(result.method);
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  [[nodiscard]] bool is_late(const AuthResult& result) const {
    return methods_.contains(result.method) ||
           (result.method == "dmarc" && methods_.contains("dkim"));
  }

  std::set<std::string> methods_;
  bool ended_ = false;
};

bool is_ours(const AuthenticationResults& field, std::span<const std::string> authserv_ids) {
  return std::ranges::any_of(authserv_ids, [&](const std::string& id) {
    return ascii::equal_ignoring_case(id, field.server);
  });
}

}  // namespace

std::vector<AuthenticationResults> believed_results(std::span<const mime::HeaderField> fields,
                                                    std::span<const std::string> authserv_ids,
                                                    const std::vector<Network>& local) {
  std::vector<AuthenticationResults> out;
  if (authserv_ids.empty()) return out;
  Belief belief;
  bool entered = false;  // the Received of the server that took it from a stranger was seen
  for (const mime::HeaderField& field : fields) {
    if (belief.ended() || out.size() == kBelievedFieldsMax) break;
    if (ascii::equal_ignoring_case(field.name, "Received")) {
      if (entered) break;
      entered = !is_own_hop(field.value, local);
    }
    if (!ascii::equal_ignoring_case(field.name, "Authentication-Results")) continue;
    auto read = mime::read_authentication_results(field.value);
    if (!read || !is_ours(*read, authserv_ids)) continue;
    belief.sift(*read);
    if (!read->results.empty()) out.push_back(*std::move(read));
  }
  return out;
}

bool is_proved(std::span<const AuthenticationResults> believed, std::string_view domain) {
  const auto denied = [&](const AuthResult& result) {
    const auto from = result.property("header.from");
    return result.method == "dmarc" && result.result == "fail" && from && is_aligned(*from, domain);
  };
  if (domain.empty() || std::ranges::any_of(believed, [&](const AuthenticationResults& field) {
        return std::ranges::any_of(field.results, denied);
      }))
    return false;
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
