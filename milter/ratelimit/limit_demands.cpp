#include "milter/ratelimit/limit_demands.h"

#include <algorithm>
#include <string_view>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::ratelimit {

namespace {

/// Why a bucket has a further part in its name: a type with several rates has a bucket for each.
std::string number_text(const BucketType& type) { return '#' + std::to_string(type.number); }

std::string client_text(const IpAddress& client, const MailLimitOptions& options, bool network) {
  const bool v4 = client.family == IpAddress::Family::kV4;
  if (v4 && !network) return client.to_string();
  const auto bits = static_cast<int>(v4 ? options.ipv4_prefix : options.ipv6_prefix);
  if (!network && bits == client.bits()) return client.to_string();
  return Network::of(client, bits).to_string();
}

/// What a message and a recipient are called in the names of buckets, and as they were written.
struct Named {
  const LimitedEnvelope& mail;
  const EnvelopeAddress* recipient;  ///< null: the message
  std::string user;
  EnvelopeAddress sender;
  EnvelopeAddress to;
};

Named named(const LimitedEnvelope& mail, const EnvelopeAddress* recipient) {
  return {mail, recipient, normal_login(mail.user), normal_mailbox(mail.sender),
          recipient == nullptr ? EnvelopeAddress() : normal_mailbox(*recipient)};
}

/// The text of a part for this mail; nullopt if the mail does not have the part.
std::optional<std::string> part_text(BucketPart part, const MailLimitOptions& options,
                                     const Named& mail) {
  const auto unless_empty = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  switch (part) {
    case BucketPart::kBounce: {
      const bool bounce = is_bounce_sender(mail.mail.sender) || is_bounce_sender(mail.sender);
      return bounce ? std::optional<std::string>("") : std::nullopt;
    }
    case BucketPart::kUser:
      return unless_empty(mail.user);
    case BucketPart::kIp:
    case BucketPart::kNetwork:
      if (!mail.mail.client) return std::nullopt;
      return client_text(*mail.mail.client, options, part == BucketPart::kNetwork);
    case BucketPart::kFrom:
      return unless_empty(mail.sender.text());
    case BucketPart::kFromDomain:
      return unless_empty(mail.sender.domain);
    case BucketPart::kTo:
      return unless_empty(mail.to.text());
    case BucketPart::kToDomain:
      return unless_empty(mail.to.domain);
  }
  return std::nullopt;
}

bool fits(const BucketOverride& one, const Named& mail) {
  const auto is = [&](const EnvelopeAddress& written, const EnvelopeAddress& normal, bool domain) {
    const std::string name = in_dns(one.name);
    if (domain) return normal.domain == name || written.domain == one.name;
    return normal.text() == name || written.text() == one.name;
  };
  switch (one.kind) {
    case BucketOverride::For::kRecipient:
      return mail.recipient != nullptr && is(*mail.recipient, mail.to, false);
    case BucketOverride::For::kDomain:
      return mail.recipient != nullptr && is(*mail.recipient, mail.to, true);
    case BucketOverride::For::kNetwork:
      return mail.mail.client && one.network && one.network->contains(*mail.mail.client);
    case BucketOverride::For::kUser:
      return !mail.user.empty() && mail.user == normal_login(one.name);
    case BucketOverride::For::kSender:
      return is(mail.mail.sender, mail.sender, false);
    case BucketOverride::For::kSenderDomain:
      return is(mail.mail.sender, mail.sender, true);
  }
  return false;
}

/// An extra part for the key of mail with an override, so that each key has only one rate; empty if
/// the key does not need it.
std::string distinction(const BucketType& type, const BucketOverride& one, const Named& mail,
                        const MailLimitOptions& options) {
  const auto has = [&](BucketPart part) {
    return std::find(type.parts.begin(), type.parts.end(), part) != type.parts.end();
  };
  switch (one.kind) {
    case BucketOverride::For::kRecipient:
      return has(BucketPart::kTo) && mail.to.text() == in_dns(one.name) ? "" : one.name;
    case BucketOverride::For::kDomain:  // every part of a recipient has its domain
      return mail.to.domain == in_dns(one.name) ? "" : "domain=" + one.name;
    case BucketOverride::For::kNetwork: {
      const bool v4 = one.network->address.family == IpAddress::Family::kV4;
      const int bits = static_cast<int>(options.ipv6_prefix);
      const bool whole = v4 || one.network->prefix_bits <= bits;
      return has(BucketPart::kIp) && whole ? "" : one.network->to_string();
    }
    case BucketOverride::For::kUser:
      return has(BucketPart::kUser) ? "" : "user=" + one.name;
    case BucketOverride::For::kSender: {
      const bool whole = mail.sender.text() == in_dns(one.name);
      return has(BucketPart::kFrom) && whole ? "" : "sender=" + one.name;
    }
    case BucketOverride::For::kSenderDomain: {
      const bool named = has(BucketPart::kFrom) || has(BucketPart::kFromDomain);
      const bool whole = mail.sender.domain == in_dns(one.name);
      return named && whole ? "" : "sender_domain=" + one.name;
    }
  }
  return {};
}

/// In a cluster the buckets of a recipient must be on one server, because one script uses them.
std::size_t tag_of(const BucketType& type, const MailLimitOptions& options) {
  if (!options.redis.cluster) return storage::buckets::kNoBucketTag;
  std::size_t at = 0;
  for (const BucketPart part : type.parts) {
    if (part == BucketPart::kTo) return at;
    if (part != BucketPart::kBounce) ++at;
  }
  return storage::buckets::kNoBucketTag;
}

std::string key_of(const BucketType& type, const std::vector<std::string>& parts,
                   const MailLimitOptions& options) {
  const std::vector<std::string_view> views(parts.begin(), parts.end());
  return storage::buckets::make_bucket_key(type.name, views, tag_of(type, options));
}

std::optional<LimitDemand> demand_of(const BucketType& type, const MailLimitOptions& options,
                                     const Named& mail) {
  std::vector<std::string> parts;
  for (const BucketPart part : type.parts) {
    auto text = part_text(part, options, mail);
    if (!text) return std::nullopt;
    if (part != BucketPart::kBounce) parts.push_back(*std::move(text));
  }
  BucketRate rate = type.rate;
  const auto one = std::find_if(type.overrides.begin(), type.overrides.end(),
                                [&](const BucketOverride& other) { return fits(other, mail); });
  if (one != type.overrides.end()) {
    rate = one->rate;
    if (auto more = distinction(type, *one, mail, options); !more.empty()) {
      parts.push_back(std::move(more));
    }
  }
  if (!rate.limits()) return std::nullopt;
  if (type.number > 1) parts.push_back(number_text(type));
  return LimitDemand{type.name, key_of(type, parts, options), rate, 1, type.by_recipient()};
}

template <typename Wanted>
std::vector<LimitDemand> demands_of(const MailLimitOptions& options, const Named& mail,
                                    Wanted wanted) {
  std::vector<LimitDemand> out;
  for (const BucketType& type : options.rates) {
    if (!wanted(type)) continue;
    if (auto demand = demand_of(type, options, mail)) out.push_back(*std::move(demand));
  }
  return out;
}

/// The normal form of a part that a person wrote.
std::string part_as_named(BucketPart part, std::string_view text, const MailLimitOptions& options) {
  switch (part) {
    case BucketPart::kUser:
      return normal_login(text);
    case BucketPart::kFrom:
    case BucketPart::kTo:
      return normal_mailbox(parse_envelope_address(text)).text();
    case BucketPart::kFromDomain:
    case BucketPart::kToDomain:
      return in_dns(ascii::to_lower(text));
    case BucketPart::kIp:
    case BucketPart::kNetwork: {
      const auto address = IpAddress::parse(text);
      if (!address) break;  // a network, as keys have it
      return client_text(*address, options, part == BucketPart::kNetwork);
    }
    case BucketPart::kBounce:
      break;
  }
  return std::string(text);
}

/// "a%3Ab" becomes "a:b".
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '}') continue;  // the tag of a cluster
    const auto byte = text[i] == '%' ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte || byte->size() != 1) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(byte->front());
    i += 2;
  }
  return out;
}

/// The texts between colons; an IPv6 address as people write it has some of its own, so the parts
/// `before` it and after it are taken first.
std::optional<std::vector<std::string>> parts_in(const std::vector<BucketPart>& parts,
                                                 std::string_view text) {
  std::vector<std::string> out;
  const auto is_client = [](BucketPart part) {
    return part == BucketPart::kIp || part == BucketPart::kNetwork;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t after = parts.size() - i - 1;
    std::size_t end = text.find(':');
    if (is_client(parts[i])) {
      end = std::string_view::npos;
      for (std::size_t colons = 0; colons < after; ++colons) end = text.rfind(':', end - 1);
    }
    if ((end == std::string_view::npos) != (after == 0)) return std::nullopt;
    out.push_back(unescaped(text.substr(0, end)));
    text.remove_prefix(after == 0 ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

std::vector<LimitDemand> message_demands(const MailLimitOptions& options,
                                         const LimitedEnvelope& envelope) {
  return demands_of(options, named(envelope, nullptr), [](const BucketType& type) {
    return !type.by_recipient() && !type.counts_recipients;
  });
}

std::vector<LimitDemand> recipient_demands(const MailLimitOptions& options,
                                           const LimitedEnvelope& envelope,
                                           const EnvelopeAddress& recipient, OfRecipient which) {
  const bool own = which == OfRecipient::kOwn;
  return demands_of(options, named(envelope, &recipient), [&](const BucketType& type) {
    return own ? type.by_recipient() : type.counts_recipients;
  });
}

std::optional<std::string> bucket_key_of(const MailLimitOptions& options, std::string_view name) {
  const std::string_view word = storage::buckets::bucket_type(name);
  const auto type = std::find_if(options.rates.begin(), options.rates.end(),
                                 [&](const BucketType& known) { return known.name == word; });
  if (type == options.rates.end() || word.size() == name.size()) return std::nullopt;
  std::vector<BucketPart> parts = type->parts;
  std::erase(parts, BucketPart::kBounce);
  auto texts = parts_in(parts, name.substr(word.size() + 1));
  if (!texts) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    (*texts)[i] = part_as_named(parts[i], (*texts)[i], options);
  }
  return key_of(*type, *texts, options);
}

std::vector<LimitDemand> merged(std::vector<LimitDemand> demands) {
  std::stable_sort(demands.begin(), demands.end(),
                   [](const LimitDemand& a, const LimitDemand& b) { return a.key < b.key; });
  std::vector<LimitDemand> out;
  for (LimitDemand& demand : demands) {
    if (!out.empty() && out.back().key == demand.key) {
      out.back().drops += demand.drops;
    } else {
      out.push_back(std::move(demand));
    }
  }
  return out;
}

}  // namespace shingled::milter::ratelimit
