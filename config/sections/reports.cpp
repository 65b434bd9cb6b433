#include <algorithm>

#include "config/sections/sections.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::size_t kTrustedMax = 10'000;
constexpr std::size_t kReporterBytesMax = 256;
constexpr Choice<Residents> kResidents[] = {{"all", Residents::kAll},
                                            {"earned", Residents::kEarned}};

void load_effect(Section&& section, Range<std::int64_t> range, ReportEffect& out) {
  section.text("flag", out.flag);
  const auto field = section.field("weight");
  if (!field) return;
  const std::string allowed =
      "a number from " + std::to_string(range.least) + " to " + std::to_string(range.most);
  const auto text = field->scalar(allowed);
  if (!text) return;
  const auto weight = parse_whole<std::int32_t>(*text, static_cast<std::int32_t>(range.least),
                                                static_cast<std::int32_t>(range.most));
  if (weight) {
    out.weight = *weight;
  } else {
    field->refuse("out of range, or not a whole number", allowed);
  }
}

void load_trusted(Section& section, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed = "names of reporters of at most 256 bytes, or [] for none";
  const auto field = section.field("trusted_reporters");
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    if (out.size() == kTrustedMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kTrustedMax));
      return;
    }
    if (word.size() > kReporterBytesMax) {
      item.problem("is too long", kAllowed);
    } else {
      out.push_back(word);
    }
  }
}

void load_domain(Section& section, std::string& out) {
  constexpr std::string_view kAllowed = "a domain such as example.org, or \"\"";
  constexpr std::size_t kDomainBytesMax = 253;
  const auto field = section.field("domain");
  if (!field) return;
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  const bool valid = text->size() <= kDomainBytesMax && !text->starts_with('.') &&
                     std::ranges::none_of(*text, [](char c) {
                       return static_cast<unsigned char>(c) <= ' ' || c == '@' || c == '/';
                     });
  if (valid) {
    out = *text;
  } else {
    field->refuse("not a domain", kAllowed);
  }
}

void load_rate(Section& section, BucketRate& out) {
  constexpr std::string_view kAllowed =
      "a number of reports in a time, such as 60 / 1h, from 1 / 10d to 1000 / 1s, or off";
  constexpr double kSlowest = 1.0 / (10 * 24 * 3600);
  constexpr double kFastest = 1000;
  constexpr double kMost = 1e6;
  const auto field = section.field("rate");
  if (!field) return;
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  if (*text == "off" || *text == "no" || *text == "0") {
    out = BucketRate{};
    return;
  }
  const auto rate = parse_rate(*text);
  const double leak = rate ? rate->amount / std::chrono::duration<double>(rate->time).count() : 0;
  if (rate && rate->amount >= 1 && rate->amount <= kMost && leak >= kSlowest && leak <= kFastest) {
    out = BucketRate{rate->amount, leak};
  } else {
    field->refuse("not such a rate", kAllowed);
  }
}

}  // namespace

void load_reports(Section&& section, ReportOptions& out) {
  using std::chrono::hours;
  using std::chrono::seconds;
  section.boolean("enabled", out.enabled);
  section.path_or_empty("file", out.file);
  load_effect(section.section("spam"), {0, 1000}, out.spam);
  load_effect(section.section("ham"), {-1000, 0}, out.ham);
  section.text("ham_also", out.ham_also);
  section.number<std::uint32_t>("reporters_min", out.reporters_min, {1, 1000});
  section.number<std::uint32_t>("reject_people", out.reject_people, {1, 1000});
  section.choice<Residents>("residents", out.residents, kResidents);
  section.number<std::uint32_t>("newcomers_max", out.newcomers_max, {0, 1000});
  load_trusted(section, out.trusted_reporters);
  section.number<std::uint32_t>("trusted_weight", out.trusted_weight, {1, 1000});
  load_domain(section, out.domain);
  section.path_or_empty("aliases", out.aliases);
  section.duration<seconds>("keep", out.keep, {hours(24), hours(24 * 3650)});
  load_rate(section, out.rate);
  section.size("bytes_max", out.bytes_max, {std::uint64_t{4} << 10, std::uint64_t{256} << 20});
  if (out.enabled && out.file.empty()) {
    section.problem("file",
                    "nothing can be reported without it; allowed: an absolute path, or "
                    "reports.enabled: false");
  }
}

}  // namespace shingled::config
