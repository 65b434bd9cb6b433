#include <algorithm>
#include <cmath>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::size_t kTrustedMax = 10'000;
constexpr std::size_t kReporterBytesMax = 256;
constexpr std::array<Choice<Residents>, 2> kResidents = {
    {{"all", Residents::kAll}, {"earned", Residents::kEarned}}};

/// A weight with a sign.
template <std::int32_t kLeast, std::int32_t kMost>
void load_weight(Section& section, std::string_view key, std::int32_t& out) {
  const auto field = section.field(key);
  if (!field) return;
  const std::string allowed =
      "a number from " + std::to_string(kLeast) + " to " + std::to_string(kMost);
  const auto text = field->scalar(allowed);
  if (!text) return;
  const auto weight = parse_whole<std::int32_t>(*text, kLeast, kMost);
  if (weight) {
    out = *weight;
  } else {
    field->refuse("out of range, or not a whole number", allowed);
  }
}

void load_trusted(Section& section, std::string_view key, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed = "names of reporters of at most 256 bytes, or [] for none";
  const auto field = section.field(key);
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

void load_domain(Section& section, std::string_view key, std::string& out) {
  constexpr std::string_view kAllowed = "a domain such as example.org, or \"\"";
  constexpr std::size_t kDomainBytesMax = 253;
  const auto field = section.field(key);
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

void load_report_rate(Section& section, std::string_view key, BucketRate& out) {
  constexpr std::string_view kAllowed =
      "a number of reports in a time, such as 60 / 1h, from 1 / 10d to 1000 / 1s, or off";
  constexpr double kSlowest = 1.0 / (10 * 24 * 3600);
  constexpr double kFastest = 1000;
  constexpr double kMost = 1e6;
  const auto field = section.field(key);
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

/// "60 / 1h", or off. The time is an hour, as people say how much they report.
std::string rate_text(const BucketRate& rate) {
  if (!rate.limits()) return "off";
  const std::chrono::milliseconds time(
      static_cast<std::int64_t>(std::llround(rate.burst / rate.leak * 1000)));
  return flow_scalar(shortest_text(rate.burst) + " / " + format_duration(time));
}

std::string weight_text(const std::int32_t& weight) { return std::to_string(weight); }

template <std::int32_t kLeast, std::int32_t kMost>
Keys<Settings> effect_keys(const Place<Settings, ReportEffect>& place, std::string_view weight) {
  return {
      key("flag", place(&ReportEffect::flag), Text{}, "a list of the rule, by name or number"),
      key("weight", place(&ReportEffect::weight),
          Typed<std::int32_t>{"number", load_weight<kLeast, kMost>, weight_text}, weight),
  };
}

void check_reports(Section& section, Settings& settings) {
  const ReportOptions& reports = settings.reports;
  if (reports.home.empty() && !(reports.home_key_file + reports.home_ca_file).empty())
    section.problem("home",
                    "is empty, so home_key_file and home_ca_file have no effect; allowed: "
                    "the URL of a daemon");
  if (!settings.reports.enabled || !settings.reports.file.empty()) return;
  section.problem("file",
                  "nothing can be reported without it; allowed: an absolute path, or "
                  "reports.enabled: false");
}

}  // namespace

Key<Settings> reports_section() {
  const auto start = at_start(&Settings::reports);
  const auto live = at_reload(&Settings::reports);
  return map<Settings>(
      "reports",
      {
          key("enabled", live(&ReportOptions::enabled), Switch{},
              "no = the daemon takes no reports"),
          key("file", start(&ReportOptions::file), Path{},
              "who reported what; made with the first report"),
          map<Settings>(
              "spam",
              effect_keys<0, 1000>(
                  live(&ReportOptions::spam),
                  "factor on what follows from the people below, 0 to 1000; 0 = teach nothing"),
              {},
              "what spam does to the hashes of the message, in each rule with the local storage"),
          map<Settings>("ham",
                        effect_keys<-1000, 0>(live(&ReportOptions::ham),
                                              "against how many people of the other side one of "
                                              "them stands, -1000 to 0; 0 = take nothing back"),
                        {}, "what wanted mail does to them"),
          key("ham_also", live(&ReportOptions::ham_also), Text{},
              "a list that wanted mail is put on, such as white; \"\" = none"),
          key("reporters_min", live(&ReportOptions::reporters_min), Number{1, 1000},
              "people who must agree until the message gets a header, {}"),
          key("reject_people", live(&ReportOptions::reject_people), Number{1, 1000},
              "people who must agree until it is rejected, {}"),
          key("residents", live(&ReportOptions::residents), OneOf(kResidents),
              "whose word is that of a person: earned = of mailboxes that got wanted mail here on "
              "5 different days of the last 14 (it needs the counters), all = of everybody who "
              "reports"),
          key("newcomers_max", live(&ReportOptions::newcomers_max), Number{0, 1000},
              "as how many people all others together count, {}; they may complete a mark but not "
              "a rejection, and alone they count nothing against a resident"),
          key("trusted_reporters", live(&ReportOptions::trusted_reporters),
              Typed<std::vector<std::string>>{"list of texts", load_trusted, flow_list},
              "mailboxes whose reports count at once; wanted mail of theirs closes the case; [] = "
              "none"),
          key("trusted_weight", live(&ReportOptions::trusted_weight), Number{1, 1000},
              "as how many people each of them counts, {}"),
          key("rate", live(&ReportOptions::rate),
              Typed<BucketRate>{"rate", load_report_rate, rate_text},
              "reports of one person, not of a trusted one; off = no limit"),
          key("domain", live(&ReportOptions::domain),
              Typed<std::string>{"text", load_domain,
                                 [](const std::string& domain) { return flow_scalar(domain); }},
              "of reporters whose name has none; \"\" = /etc/mailname, or the domain of this host"),
          key("aliases", live(&ReportOptions::aliases), Path{},
              "a file that says which addresses are one mailbox, in the form of Postfix's aliases "
              "or virtual, such as /etc/aliases; \"\" = none"),
          key("keep", live(&ReportOptions::keep), Time{24h, 24h * 3650},
              "reports are forgotten after this time, {}; then they cannot be taken back"),
          key("home", start(&ReportOptions::home), Text{},
              "the daemon that keeps the reports of all machines and teaches, such as "
              "https://mx1.example.org:11340; this one forwards to it; \"\" = this one"),
          key("home_key_file", start(&ReportOptions::home_key_file), Path{},
              "has a key of the role report of that daemon; \"\" = none"),
          key("home_ca_file", start(&ReportOptions::home_ca_file), Path{},
              "PEM, the certificates to trust there; \"\" = those of the system"),
          key("bytes_max", start(&ReportOptions::bytes_max), Size{4 * kKi, 256 * kMi},
              "of a reported message, {}"),
      },
      check_reports);
}

}  // namespace shingled::config
