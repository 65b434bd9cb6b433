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
    "or one text such as 100 / 1h, or off, or a list of up to 4 such rates";
constexpr std::size_t kRatesMax = 4;  // of one type; each is a bucket
constexpr std::string_view kCountsRecipients = "_rcpts";

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
    "ip, network, from, from_domain, to, to_domain with '_' between; with _rcpts behind those "
    "without a "
    "recipient each recipient counts";

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

/// A rate in one of its notations; nullopt for other text.
std::optional<BucketRate> rate_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kScalar) return rate_of_text(node.text);
  if (node.kind != YamlNode::Kind::kList || node.items.size() != 2) return std::nullopt;
  const auto burst = number_of(node.items[0]);
  const auto leak = leak_of(node.items[1]);
  if (!burst || !leak) return std::nullopt;
  return BucketRate{*burst, *leak};
}

/// One rate, or a list of them; empty and a problem for other text.
std::vector<BucketRate> read_rates(const Field& field) {
  std::vector<BucketRate> out;
  if (const auto rate = rate_of(field.node())) {
    if (const auto good = checked(field, *rate)) out.push_back(*good);
    return out;
  }
  const YamlNode& node = field.node();
  const bool list = node.kind == YamlNode::Kind::kList && !node.items.empty() &&
                    std::all_of(node.items.begin(), node.items.end(),
                                [](const YamlNode& item) { return rate_of(item).has_value(); });
  if (!list) {
    refuse_rate(field);
    return out;
  }
  if (node.items.size() > kRatesMax) {
    field.problem("has too many rates", "at most " + std::to_string(kRatesMax));
    return out;
  }
  for (const Field& item : field.list()) {
    const auto rate = checked(item, *rate_of(item.node()));
    if (!rate) return {};
    out.push_back(*rate);
  }
  return out;
}

bool differs_by(const BucketType& type, BucketOverride::For kind) {
  const bool recipient =
      kind == BucketOverride::For::kRecipient || kind == BucketOverride::For::kDomain;
  return !recipient || type.by_recipient();
}

constexpr std::string_view kTargetForm = "recipient, domain, network, user, sender, sender_domain";

/// The user, address or domain of an override; nullopt and a problem for other text.
std::optional<std::string> read_target_name(const Field& field, BucketOverride::For kind,
                                            std::string_view text) {
  using For = BucketOverride::For;
  const auto word = recipient_word(text);
  const bool domain = kind == For::kDomain || kind == For::kSenderDomain;
  const bool has_at = text.find('@') != std::string_view::npos;
  if (word && (kind == For::kUser || has_at != domain)) return word;
  if (domain) {
    field.refuse("not a domain", "a domain such as example.org");
  } else if (kind == For::kUser) {
    field.refuse("not a user", "a login of at most 320 printable ASCII characters");
  } else {
    field.refuse(kind == For::kSender ? "not a sender" : "not a recipient",
                 "an address such as a@example.org");
  }
  return std::nullopt;
}

/// The mail that an override is for, from its one key of kTargetForm.
std::optional<BucketOverride> read_target(Section& section) {
  using For = BucketOverride::For;
  constexpr std::array<Choice<For>, 6> kTargets = {{{"recipient", For::kRecipient},
                                                    {"domain", For::kDomain},
                                                    {"network", For::kNetwork},
                                                    {"user", For::kUser},
                                                    {"sender", For::kSender},
                                                    {"sender_domain", For::kSenderDomain}}};
  std::optional<BucketOverride> out;
  for (const auto& [key, kind] : kTargets) {
    const auto field = section.field(key);
    if (!field) continue;
    if (out) {
      field->problem("is for something else, too", "one of " + std::string(kTargetForm));
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
    const auto word = read_target_name(*field, kind, *text);
    if (!word) return std::nullopt;
    out->name = *word;
  }
  if (!out) {
    section.problem("recipient",
                    "nothing says what it is for; allowed: " + std::string(kTargetForm));
  }
  return out;
}

/// An override and its rates.
struct RatedOverride {
  BucketOverride target;
  std::vector<BucketRate> rates;
};

void load_override(const Field& item, const BucketType& type, std::vector<RatedOverride>& out) {
  Section section(&item.node(), item.key(), item.diagnostics());
  if (item.node().kind != YamlNode::Kind::kMap) return;  // which is a problem by now
  auto target = read_target(section);
  const auto field = section.field("rate");
  if (!field) section.problem("rate", "is missing; allowed: " + std::string(kRateForm));
  std::vector<BucketRate> rates = field ? read_rates(*field) : std::vector<BucketRate>();
  if (!target || rates.empty()) return;
  if (!differs_by(type, target->kind)) {
    item.problem("buckets of this type have no recipient", "network, user, sender, sender_domain");
    return;
  }
  out.push_back({*std::move(target), std::move(rates)});
}

void load_overrides(Section& section, const BucketType& type, std::vector<RatedOverride>& out) {
  const auto field = section.field("overrides");
  if (!field) return;
  if (field->node().kind != YamlNode::Kind::kList) {
    field->problem("is not a list", "a list of maps such as {domain: example.org, rate: 100 / 1h}");
    return;
  }
  for (const Field& item : field->list()) {
    if (out.size() == kOverridesMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kOverridesMax));
      return;
    }
    load_override(item, type, out);
  }
}

void refuse_type(const Field& entry) {
  static const std::vector<std::string> known = {
      "to", "to_ip",   "to_ip_from", "bounce_to",   "bounce_to_ip", "user",
      "ip", "network", "from",       "from_domain", "to_domain",    "user_rcpts"};
  const auto meant = nearest_word(entry.node().key, known);
  entry.diagnostics().add(
      entry.node().key_position, entry.key(),
      "unknown type of buckets; " + (meant ? "did you mean " + in_quotes(*meant) + "?"
                                           : "allowed: " + std::string(kTypeForm)));
}

/// The name and parts of a type, if they are valid.
std::optional<BucketType> read_type(const Field& entry) {
  BucketType out;
  out.name = entry.node().key;
  std::string_view parts_text = out.name;
  out.counts_recipients = parts_text.ends_with(kCountsRecipients);
  if (out.counts_recipients) parts_text.remove_suffix(kCountsRecipients.size());
  const auto parts = parse_parts(parts_text);
  if (!parts) {
    refuse_type(entry);
    return std::nullopt;
  }
  out.parts = *parts;
  std::string_view why = contradiction(*parts);
  if (why.empty() && out.counts_recipients && out.by_recipient()) {
    why = "counts each recipient by its parts";
  }
  if (why.empty()) return out;
  entry.diagnostics().add(entry.node().key_position, entry.key(),
                          std::string(why) + "; allowed: " + std::string(kTypeForm));
  return std::nullopt;
}

/// One entry for each rate; empty if the type is off or wrong.
std::vector<BucketType> load_type(const Field& entry) {
  const auto type = read_type(entry);
  if (!type) return {};
  std::vector<BucketRate> rates;
  std::vector<RatedOverride> overrides;
  if (entry.node().kind != YamlNode::Kind::kMap) {
    rates = read_rates(entry);
  } else {
    Section section(&entry.node(), entry.key(), entry.diagnostics());
    if (const auto field = section.field("rate")) rates = read_rates(*field);
    load_overrides(section, *type, overrides);
  }
  std::size_t most = rates.size();
  for (const RatedOverride& one : overrides) most = std::max(most, one.rates.size());
  const auto rate_at = [](const std::vector<BucketRate>& from, std::size_t at) {
    return at < from.size() ? from[at] : BucketRate{};
  };
  std::vector<BucketType> out;
  for (std::size_t at = 0; at < most; ++at) {
    BucketType numbered = *type;
    numbered.number = static_cast<std::uint32_t>(at + 1);
    numbered.rate = rate_at(rates, at);
    for (const RatedOverride& one : overrides) {
      numbered.overrides.push_back(one.target);
      numbered.overrides.back().rate = rate_at(one.rates, at);
    }
    const bool limits =
        numbered.rate.limits() ||
        std::any_of(numbered.overrides.begin(), numbered.overrides.end(),
                    [](const BucketOverride& other) { return other.rate.limits(); });
    if (limits) out.push_back(std::move(numbered));  // one that is off limits nothing
  }
  return out;
}

}  // namespace

void load_bucket_types(Section&& section, std::vector<BucketType>& out) {
  const auto entries = section.entries();
  if (!entries.empty()) out.clear();
  for (const Field& entry : entries) {
    if (out.size() >= kTypesMax) {
      entry.problem("exceeds the limit", "at most " + std::to_string(kTypesMax));
      return;
    }
    for (BucketType& type : load_type(entry)) out.push_back(std::move(type));
  }
}

}  // namespace shingled::config
