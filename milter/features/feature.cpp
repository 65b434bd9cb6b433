#include "milter/features/feature.h"

#include <fmt/format.h>

#include <algorithm>

namespace shingled::milter::features {

namespace {

using enum FeatureRow::Type;

// Results of RFC 8601 section 2.7; "bestguesspass" is what OpenDMARC and others say besides.
constexpr auto kSpfWords = std::to_array<std::string_view>(
    {"none", "pass", "fail", "softfail", "policy", "neutral", "temperror", "permerror"});
constexpr auto kDkimWords = std::to_array<std::string_view>(
    {"none", "pass", "fail", "policy", "neutral", "temperror", "permerror"});
constexpr auto kDmarcWords = std::to_array<std::string_view>(
    {"none", "pass", "fail", "bestguesspass", "temperror", "permerror"});

constexpr std::string_view kMessage = "the message";
constexpr std::string_view kEnvelope = "the SMTP transaction";
constexpr std::string_view kResults = "Authentication-Results of a server in counters.authserv_ids";

constexpr std::array<FeatureRow, kFeatures> kRows = {{
    {Feature::kBytes, "bytes", kNumber, "bytes", "size of the message", kMessage, {}, {}},
    {Feature::kParts, "parts", kNumber, "parts", "MIME parts with a body", kMessage, {}, {}},
    {Feature::kRecipients,
     "recipients",
     kNumber,
     "recipients",
     "envelope recipients",
     kEnvelope,
     {},
     {}},
    {Feature::kLinks, "links", kNumber, "links", "different links in the texts", kMessage, {}, {}},
    {Feature::kAttachments, "attachments", kNumber, "files", "attached files", kMessage, {}, {}},
    {Feature::kImages, "images", kNumber, "images", "images in the message", kMessage, {}, {}},
    {Feature::kWords, "words", kNumber, "words", "words of all texts", kMessage, {}, {}},
    {Feature::kLanguage,
     "language",
     kWord,
     "",
     "language of the longest text, such as en",
     kMessage,
     {},
     {}},
    {Feature::kHtml, "html", kYesNo, "", "has an HTML text", kMessage, {}, {}},
    {Feature::kLocal,
     "local",
     kYesNo,
     "",
     "comes from a network in milter.local_networks",
     kEnvelope,
     {},
     {}},
    {Feature::kAuthenticated,
     "authenticated",
     kYesNo,
     "",
     "the sender has logged in",
     kEnvelope,
     {},
     {}},
    {Feature::kBounce, "bounce", kYesNo, "", "the envelope sender is empty", kEnvelope, {}, {}},
    {Feature::kDefects,
     "defects",
     kNumber,
     "defects",
     "mistakes in the form of the message",
     kMessage,
     {},
     {}},
    {Feature::kSpf, "spf", kWord, "", "result of SPF", kResults, kSpfWords, {}},
    {Feature::kDkim,
     "dkim",
     kWord,
     "",
     "best result of a DKIM signature",
     kResults,
     kDkimWords,
     {}},
    {Feature::kDmarc, "dmarc", kWord, "", "result of DMARC", kResults, kDmarcWords, {}},
    {Feature::kHour,
     "hour",
     kNumber,
     "hours",
     "hour of the day in which it arrives, UTC",
     "the clock",
     {},
     23},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].feature) != i) return false;
  return true;
}
static_assert(rows_are_in_order(), "the row of a feature is at its number");

}  // namespace

std::span<const FeatureRow> features() { return kRows; }

const FeatureRow& row_of(Feature feature) { return kRows[static_cast<std::size_t>(feature)]; }

const FeatureRow* find_feature(std::string_view name) {
  const auto* const found = std::ranges::find(kRows, name, &FeatureRow::name);
  return found == kRows.end() ? nullptr : &*found;
}

std::string_view to_string(FeatureRow::Type type) {
  constexpr std::array<std::string_view, 3> kNames = {"number", "yes/no", "word"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string to_string(const FeatureValues& values, Feature feature) {
  if (!values.is_known(feature)) return "unknown";
  switch (row_of(feature).type) {
    case kNumber:
      return fmt::format("{}", values.number(feature));
    case kYesNo:
      return values.number(feature) != 0 ? "yes" : "no";
    case kWord:
      break;
  }
  return values.word(feature);
}

}  // namespace shingled::milter::features
