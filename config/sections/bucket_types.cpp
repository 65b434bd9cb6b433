#include <algorithm>
#include <cmath>

#include "config/sections/sections.h"
#include "config/words/list_words.h"
#include "config/words/nearest_word.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::size_t kTypesMax = 32;
constexpr std::size_t kOverridesMax = 1000;  // of one type; each message walks through them
constexpr double kBurstMost = 1e9;
constexpr double kLeakMost = 1e6;
constexpr double kDrainSecondsMost = 10.0 * 365 * 86'400;  // what nobody lives to see is a slip
constexpr std::string_view kRateForm =
    "[burst, leak] with a burst of 1 to 1e9 and a leak a second of up to 1e6 or such as 2 / 1m, "
    "or one text such as 100 / 1h, or off";

struct NamedPart {
  std::string_view name;
  BucketPart part;
};
/// If one name is the beginning of another, the longer one comes first.
constexpr std::array<NamedPart, 8> kParts = {{{"bounce", BucketPart::kBounce},
                                              {"user", BucketPart::kUser},
                                              {"ip", BucketPart::kIp},
                                              {"network", BucketPart::kNetwork},
                                              {"from_domain", BucketPart::kFromDomain},
                                              {"from", BucketPart::kFrom},
                                              {"to_domain", BucketPart::kToDomain},
                                              {"to", BucketPart::kTo}}};
constexpr std::string_view kTypeForm =
    "to, to_ip, to_ip_from, bounce_to, bounce_to_ip, user, or others of the parts bounce, user, "
    "ip, network, from, from_domain, to, to_domain with '_' between";

/// The parts of a name such as "to_ip_from"; nullopt if one is unknown.
std::optional<std::vector<BucketPart>> parse_parts(std::string_view name) {
  std::vector<BucketPart> out;
  while (true) {
    const auto* found = std::find_if(kParts.begin(), kParts.end(), [&](const NamedPart& entry) {
      return name == entry.name || name.starts_with(std::string(entry.name) + '_');
    });
    if (found == kParts.end() || out.size() == kParts.size()) return std::nullopt;
    out.push_back(found->part);
    if (name.size() == found->name.size()) return out;
    name.remove_prefix(found->name.size() + 1);
  }
}

/// Why a combination of parts is not valid; empty if it is.
std::string_view contradiction(const std::vector<BucketPart>& parts) {
  const auto count = [&](BucketPart part) { return std::count(parts.begin(), parts.end(), part); };
  for (const NamedPart& entry : kParts) {
    if (count(entry.part) > 1) return "names a part twice";
  }
  const auto both = [&](BucketPart a, BucketPart b) { return count(a) > 0 && count(b) > 0; };
  if (both(BucketPart::kIp, BucketPart::kNetwork)) return "has a network beside the ip in it";
  if (both(BucketPart::kFrom, BucketPart::kFromDomain)) return "has a domain beside its address";
  if (both(BucketPart::kTo, BucketPart::kToDomain)) return "has a domain beside its address";
  if (both(BucketPart::kBounce, BucketPart::kFrom)) return "has a sender, which bounces have not";
  if (parts == std::vector{BucketPart::kBounce}) return "is one bucket for all bounces";
  return {};
}

bool is_no_limit(std::string_view text) {
  return text == "0" || equal_ignoring_case(text, "off") || equal_ignoring_case(text, "no") ||
         equal_ignoring_case(text, "false");
}

/// "100 / 1h": 100 at once, and 100 per hour.
std::optional<BucketRate> rate_of_text(std::string_view text) {
  if (is_no_limit(text)) return BucketRate{};
  const auto rate = parse_rate(text);
  if (!rate) return std::nullopt;
  if (rate->amount == 0) return BucketRate{};
  return BucketRate{rate->amount, rate->amount / std::chrono::duration<double>(rate->time).count()};
}

std::optional<double> number_of(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar ? parse_real(node.text) : std::nullopt;
}

/// A number per second, or "2 / 1m".
std::optional<double> leak_of(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar) return std::nullopt;
  if (const auto number = parse_real(node.text)) return number;
  const auto rate = parse_rate(node.text);
  if (!rate) return std::nullopt;
  return rate->amount / std::chrono::duration<double>(rate->time).count();
}

void refuse_rate(const Field& field) {
  if (field.node().kind == YamlNode::Kind::kScalar) {
    field.refuse("not a rate", kRateForm);
  } else {
    field.problem("is not a rate", kRateForm);
  }
}

/// Checks the numbers; each has its own problem.
std::optional<BucketRate> checked(const Field& field, const BucketRate& rate) {
  if (rate.burst == 0) return BucketRate{};  // as rspamd: [0, x] is off
  if (rate.burst > 0 && rate.burst < 1) {
    field.problem("a burst below 1 would let nothing pass", kRateForm);
  } else if (!(rate.burst >= 1 && rate.burst <= kBurstMost)) {
    field.problem("the burst is out of range", kRateForm);
  } else if (rate.leak == 0) {
    field.problem("a leak of 0 would never let mail pass again", kRateForm);
  } else if (!(rate.leak > 0 && rate.leak <= kLeakMost)) {
    field.problem("the leak is out of range", kRateForm);
  } else if (rate.burst / rate.leak > kDrainSecondsMost) {
    field.problem("a full bucket would drain for more than 10 years", kRateForm);
  } else {
    return rate;
  }
  return std::nullopt;
}

/// A rate in one of its notations; nullopt and a problem for other text.
std::optional<BucketRate> read_rate(const Field& field) {
  const YamlNode& node = field.node();
  std::optional<BucketRate> rate;
  if (node.kind == YamlNode::Kind::kScalar) {
    rate = rate_of_text(node.text);
  } else if (node.kind == YamlNode::Kind::kList && node.items.size() == 2) {
    const auto burst = number_of(node.items[0]);
    const auto leak = leak_of(node.items[1]);
    if (burst && leak) rate = BucketRate{*burst, *leak};
  }
  if (rate) return checked(field, *rate);
  refuse_rate(field);
  return std::nullopt;
}

bool differs_by(const BucketType& type, BucketOverride::For kind) {
  return kind == BucketOverride::For::kNetwork || type.by_recipient();
}

/// The mail that an override is for, from its one key of `recipient`, `domain`, `network`.
std::optional<BucketOverride> read_target(Section& section) {
  constexpr std::array<Choice<BucketOverride::For>, 3> kTargets = {
      {{"recipient", BucketOverride::For::kRecipient},
       {"domain", BucketOverride::For::kDomain},
       {"network", BucketOverride::For::kNetwork}}};
  std::optional<BucketOverride> out;
  for (const auto& [key, kind] : kTargets) {
    const auto field = section.field(key);
    if (!field) continue;
    if (out) {
      field->problem("is for something else, too", "one of recipient, domain, network");
      return std::nullopt;
    }
    const auto text = field->scalar("one of them");
    if (!text) return std::nullopt;
    out.emplace();
    out->kind = kind;
    if (kind == BucketOverride::For::kNetwork) {
      out->network = Network::parse(*text);
      if (out->network) continue;
      field->refuse("not a network", "an IP address or a network such as 192.0.2.0/24");
      return std::nullopt;
    }
    const bool domain = kind == BucketOverride::For::kDomain;
    const auto word = recipient_word(*text);
    const bool has_at = text->find('@') != std::string_view::npos;
    if (!word || has_at == domain) {
      field->refuse(domain ? "not a domain" : "not a recipient",
                    domain ? "a domain such as example.org" : "an address such as a@example.org");
      return std::nullopt;
    }
    out->name = *word;
  }
  if (!out) {
    section.problem("recipient",
                    "nothing says what it is for; allowed: recipient, domain, network");
  }
  return out;
}

void load_override(const Field& item, BucketType& type) {
  Section section(&item.node(), item.key(), item.diagnostics());
  if (item.node().kind != YamlNode::Kind::kMap) return;  // which is a problem by now
  auto target = read_target(section);
  const auto field = section.field("rate");
  if (!field) section.problem("rate", "is missing; allowed: " + std::string(kRateForm));
  const auto rate = field ? read_rate(*field) : std::nullopt;
  if (!target || !rate) return;
  if (!differs_by(type, target->kind)) {
    item.problem("buckets of this type have no recipient", "network");
    return;
  }
  target->rate = *rate;
  type.overrides.push_back(*std::move(target));
}

void load_overrides(Section& section, BucketType& type) {
  const auto field = section.field("overrides");
  if (!field) return;
  if (field->node().kind != YamlNode::Kind::kList) {
    field->problem("is not a list", "a list of maps such as {domain: example.org, rate: 100 / 1h}");
    return;
  }
  for (const Field& item : field->list()) {
    if (type.overrides.size() == kOverridesMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kOverridesMax));
      return;
    }
    load_override(item, type);
  }
}

void refuse_type(const Field& entry) {
  static const std::vector<std::string> known = {
      "to", "to_ip",   "to_ip_from", "bounce_to",   "bounce_to_ip", "user",
      "ip", "network", "from",       "from_domain", "to_domain"};
  const auto meant = nearest_word(entry.node().key, known);
  entry.diagnostics().add(
      entry.node().key_position, entry.key(),
      "unknown type of buckets; " + (meant ? "did you mean " + in_quotes(*meant) + "?"
                                           : "allowed: " + std::string(kTypeForm)));
}

/// A type whose parts are valid, with its rate if that is valid, too.
std::optional<BucketType> load_type(const Field& entry) {
  const auto parts = parse_parts(entry.node().key);
  if (!parts) {
    refuse_type(entry);
    return std::nullopt;
  }
  if (const auto why = contradiction(*parts); !why.empty()) {
    entry.diagnostics().add(entry.node().key_position, entry.key(),
                            std::string(why) + "; allowed: " + std::string(kTypeForm));
    return std::nullopt;
  }
  BucketType out;
  out.name = entry.node().key;
  out.parts = *parts;
  if (entry.node().kind != YamlNode::Kind::kMap) {
    if (const auto rate = read_rate(entry)) out.rate = *rate;
    return out;
  }
  Section section(&entry.node(), entry.key(), entry.diagnostics());
  if (const auto field = section.field("rate")) {
    if (const auto rate = read_rate(*field)) out.rate = *rate;
  }
  load_overrides(section, out);
  return out;
}

}  // namespace

void load_bucket_types(Section&& section, std::vector<BucketType>& out) {
  const auto entries = section.entries();
  if (!entries.empty()) out.clear();
  for (const Field& entry : entries) {
    if (out.size() == kTypesMax) {
      entry.problem("exceeds the limit", "at most " + std::to_string(kTypesMax));
      return;
    }
    auto type = load_type(entry);
    if (!type) continue;
    const bool limits = type->rate.limits() ||
                        std::any_of(type->overrides.begin(), type->overrides.end(),
                                    [](const BucketOverride& one) { return one.rate.limits(); });
    if (limits) out.push_back(*std::move(type));  // one that is off is none
  }
}

}  // namespace shingled::config
