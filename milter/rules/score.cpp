#include "milter/rules/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shingled::milter::rules {

namespace {

constexpr double kProbabilityBias = 0.5;  // an answer with this probability means nothing
constexpr std::uint64_t kSmallImageBytesMax = 32'768;  // a larger image counts as an attachment
constexpr double kImageExponent = 8;
constexpr double kImageBesideLongText = 0.25;
constexpr double kImageBesideShortText = 0.9;
constexpr double kImageBesideWeakText = 0.5;
constexpr double kWeakTextProbability = 0.75;
constexpr double kTextBesideImage = kContextMost;

enum class Medium { kText, kImage, kOther };

Medium medium(const mime::PartHash& hash) {
  switch (hash.kind) {
    case mime::PartKind::kText:
    case mime::PartKind::kHtml:
    case mime::PartKind::kRobust:
      return Medium::kText;
    case mime::PartKind::kImage:
      return hash.bytes <= kSmallImageBytesMax ? Medium::kImage : Medium::kOther;
    case mime::PartKind::kHtmlStructure:
    case mime::PartKind::kAttachment:
    case mime::PartKind::kPdfScript:
      return Medium::kOther;
  }
  return Medium::kOther;
}

double normalised(double probability) {
  return std::clamp((probability - kProbabilityBias) / (1 - kProbabilityBias), 0.0, 1.0);
}

/// The hits of one rule in texts and images. Each rule is judged by its own hits only.
struct Company {
  bool text_hit = false;
  bool image_hit = false;
  double text_probability = 0;  ///< of the best text hit
};

/// By rule.
std::vector<Company> companies_of(const Facts& facts, std::size_t rules) {
  std::vector<Company> companies(rules);
  for (const Lookup& lookup : facts.lookups) {
    if (lookup.rule_index >= rules || lookup.outcome != Lookup::Outcome::kHit) continue;
    if (lookup.is_quoted()) continue;
    Company& company = companies[lookup.rule_index];
    if (medium(lookup.hash) == Medium::kText) {
      company.text_hit = true;
      company.text_probability =
          std::max(company.text_probability, static_cast<double>(lookup.probability));
    }
    company.image_hit = company.image_hit || medium(lookup.hash) == Medium::kImage;
  }
  return companies;
}

double context_factor(Medium medium, const Company& company, TextAmount text) {
  if (medium == Medium::kText) return company.image_hit ? kTextBesideImage : 1;
  if (medium != Medium::kImage) return 1;
  if (!company.text_hit) {
    if (text == TextAmount::kLong) return kImageBesideLongText;
    return text == TextAmount::kShort ? kImageBesideShortText : 1;
  }
  if (company.text_probability >= kWeakTextProbability) return 1;
  return company.text_probability > kProbabilityBias ? company.text_probability
                                                     : kImageBesideWeakText;
}

double saturation(std::int32_t value, double hits_limit) {
  return hits_limit == 0 ? 0 : std::tanh(std::numbers::e * value / hits_limit);
}

void weigh(Hit& hit, const Lookup& lookup, double context, double weight_threshold) {
  const bool small_image = medium(lookup.hash) == Medium::kImage;
  hit.saturation = saturation(hit.value, hit.hits_limit);
  hit.certainty = normalised(lookup.probability);
  hit.image = small_image ? std::pow(hit.certainty, kImageExponent) : 1;
  hit.context = context;
  const double share = hit.saturation * hit.certainty * hit.image * hit.context;
  hit.dropped = std::abs(share) < weight_threshold;
  hit.quoted = lookup.is_quoted();
  hit.score = hit.dropped || hit.quoted ? 0 : share * hit.weight;
}

}  // namespace

double list_score(const FlagOptions& list, std::int32_t value) {
  return saturation(value, list.hits_limit) * list.weight;
}

std::vector<Hit> score_hits(const Facts& facts, std::span<const RuleOptions> rules) {
  const std::vector<Company> companies = companies_of(facts, rules.size());
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < facts.lookups.size(); ++i) {
    const Lookup& lookup = facts.lookups[i];
    if (lookup.outcome != Lookup::Outcome::kHit || lookup.rule_index >= rules.size()) continue;
    const RuleOptions& rule = rules[lookup.rule_index];
    const double context =
        context_factor(medium(lookup.hash), companies[lookup.rule_index], facts.text);
    const std::size_t flag_count =
        std::min<std::size_t>(lookup.match.flag_count, lookup.match.flags.size());
    for (std::size_t f = 0; f < flag_count; ++f) {
      const auto [flag, value] = lookup.match.flags[f];
      const FlagOptions* named = rule.flags.find(flag);
      if (named == nullptr && rule.skip_unknown) continue;
      Hit hit;
      hit.lookup = i;
      hit.flag = flag;
      hit.value = value;
      hit.symbol = named != nullptr ? named->symbol : rule.symbol;
      hit.hits_limit = named != nullptr ? named->hits_limit : FlagOptions{}.hits_limit;
      hit.weight = named != nullptr ? named->weight : 0;
      weigh(hit, lookup, context, rule.weight_threshold);
      hits.push_back(std::move(hit));
    }
  }
  return hits;
}

std::string Hit::arithmetic() const {
  std::string sum =
      fmt::format("{:.2f} ({} of {:g}) x {:.2f} certain", saturation, value, hits_limit, certainty);
  if (image != 1) sum += fmt::format(" x {:.2f} image", image);
  if (context != 1) sum += fmt::format(" x {:.2f} context", context);
  if (dropped) return sum + " = below weight_threshold, dropped";
  const double product = saturation * certainty * image * context * weight;
  sum += fmt::format(" x {:.2f} = {:.2f}", weight, product);
  if (quoted) return sum + ", quoted: not what the message says itself";
  if (own_part) return sum + ", for its own part alone";
  if (held > 0) {
    sum += fmt::format(", held at {:.2f}: {}", score + spared,
                       strength == HitStrength::kMarks
                           ? "by itself it only marks"
                           : "the text is only similar, with few words of its own");
  }
  if (spared > 0) sum += fmt::format(", {:.2f} spared by a white hit", spared);
  return sum;
}

std::string_view to_string(HitStrength strength) {
  switch (strength) {
    case HitStrength::kFull:
      return "full";
    case HitStrength::kMarks:
      return "marks";
    case HitStrength::kNoted:
      return "noted";
  }
  return "full";
}

}  // namespace shingled::milter::rules
