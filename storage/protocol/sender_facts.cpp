#include "storage/protocol/sender_facts.h"

namespace shingled::storage {

namespace {

/// Where a fact stands in the word.
struct Place {
  unsigned shift;
  std::uint32_t mask;
};
constexpr Place kSpf{0, 7};
constexpr Place kDkim{3, 7};
constexpr Place kDmarc{6, 7};
constexpr Place kPtr{9, 3};
constexpr Place kGenericPtr{11, 1};
constexpr Place kRecipients{12, 3};
constexpr Place kTls{14, 1};
constexpr Place kClass{24, 0xff};
constexpr std::uint32_t kDkimMax = static_cast<std::uint32_t>(SenderFacts::Dkim::kTemporaryError);

std::uint32_t get(std::uint32_t word, Place place) { return (word >> place.shift) & place.mask; }

template <typename Fact>
std::uint32_t put(Fact fact, Place place) {
  return (static_cast<std::uint32_t>(fact) & place.mask) << place.shift;
}

}  // namespace

std::optional<SenderFacts> decode_sender_facts(std::uint32_t word) {
  if (get(word, kClass) != 0) return std::nullopt;
  SenderFacts facts;
  facts.spf = static_cast<SenderFacts::Spf>(get(word, kSpf));
  if (get(word, kDkim) <= kDkimMax) facts.dkim = static_cast<SenderFacts::Dkim>(get(word, kDkim));
  facts.dmarc = static_cast<SenderFacts::Dmarc>(get(word, kDmarc));
  facts.ptr = static_cast<SenderFacts::Ptr>(get(word, kPtr));
  facts.generic_ptr = get(word, kGenericPtr) != 0;
  facts.recipients = static_cast<SenderFacts::Recipients>(get(word, kRecipients));
  facts.tls = get(word, kTls) != 0;
  return facts;
}

std::uint32_t encode_sender_facts(const SenderFacts& facts) {
  return put(facts.spf, kSpf) | put(facts.dkim, kDkim) | put(facts.dmarc, kDmarc) |
         put(facts.ptr, kPtr) | put(facts.generic_ptr, kGenericPtr) |
         put(facts.recipients, kRecipients) | put(facts.tls, kTls);
}

}  // namespace shingled::storage
