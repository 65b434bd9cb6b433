#include "milter/counters/mailing_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "config/base/ascii.h"
#include "milter/counters/sender_proof.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/link.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::counters {

namespace {

constexpr std::size_t kWordsMax = 32;

bool is_list_field(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames = {"List-Post", "List-Archive",
                                                             "X-BeenThere", "X-Mailing-List"};
  return std::ranges::any_of(
      kNames, [&](std::string_view known) { return ascii::equal_ignoring_case(name, known); });
}

/// A URL or an address, also as "mailto:".
void take_word(std::string_view word, MailingList& out) {
  if (const auto link = mime::read_link(word)) {
    out.domains.insert(link->domain());
    return;
  }
  const std::size_t at = word.rfind('@');
  if (at == std::string_view::npos) return;
  out.domains.insert(mime::registrable_domain(mime::ascii_host(word.substr(at + 1))));
  const std::size_t scheme = word.find(':');
  if (scheme < at) word.remove_prefix(scheme + 1);
  if (const auto address = mime::normal_address(word)) out.addresses.insert(address->text());
}

}  // namespace

MailingList mailing_list_of(std::span<const mime::HeaderField> fields) {
  MailingList out;
  std::size_t words = 0;
  for (const mime::HeaderField& field : fields) {
    if (words == kWordsMax) break;
    if (!is_list_field(field.name)) continue;
    std::string value = mime::single_spaced(mime::unfold(field.value));
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '<' || c == '>'; }, ' ');
    for (std::string_view rest = value; !rest.empty() && words < kWordsMax; ++words) {
      const std::size_t size = std::min(rest.find(' '), rest.size());
      take_word(rest.substr(0, size), out);
      rest.remove_prefix(std::min(size + 1, rest.size()));
    }
  }
  return out;
}

MailingList believed_list(MailingList list, std::span<const mime::AuthenticationResults> believed,
                          const PieceOptions& options) {
  if (options.authserv_ids.empty()) return list;
  const auto is_forged = [&](const std::string& domain) { return !is_proved(believed, domain); };
  std::erase_if(list.domains, is_forged);
  std::erase_if(list.addresses, [&](const std::string& address) {
    return !list.domains.contains(mime::registrable_domain(address.substr(address.rfind('@') + 1)));
  });
  return list;
}

void remove_traces(const MailingList& list, mime::PieceList& pieces) {
  if (list.domains.empty()) {
    std::vector<std::string> hosts;
    for (const std::string_view host : pieces.of_type(PieceType::kLinkHost)) {
      hosts.emplace_back(host);
    }
    for (const std::string& host : hosts) pieces.add(PieceType::kForeignHost, host);
    return;
  }
  pieces.remove(PieceType::kNotice, [](std::string_view) { return true; });
  pieces.remove(PieceType::kForeignHost, [&](std::string_view host) {
    return list.domains.contains(mime::registrable_domain(host));
  });
}

}  // namespace shingled::milter::counters
