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
  constexpr std::array<std::string_view, 3> kTexts = {"number", "yes/no", "word"};
  return kTexts[static_cast<std::size_t>(type)];
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

namespace {

using enum NameRow::Form;

constexpr std::string_view kProved = "From, if it is proved";
constexpr std::string_view kHeader = "the header, not proved";
constexpr std::string_view kSmtp = "the SMTP transaction";

constexpr std::array<NameRow, kNames> kNameRows = {{
    {Name::kFrom, "from", kAddress, false, "address of From, proved", kProved, "news@shop.example"},
    {Name::kFromDomain, "from_domain", kDomain, false, "domain of From, proved", kProved,
     "shop.example"},
    {Name::kClaimedFrom, "claimed_from", kAddress, true, "each address of From, proved or not",
     kHeader, "news@shop.example"},
    {Name::kClaimedFromDomain, "claimed_from_domain", kDomain, true,
     "each domain of From, proved or not", kHeader, "shop.example"},
    {Name::kSender, "sender", kAddress, false, "envelope sender; <> for a bounce", kSmtp,
     "bounces@shop.example"},
    {Name::kSenderDomain, "sender_domain", kDomain, false, "domain of the envelope sender", kSmtp,
     "shop.example"},
    {Name::kRecipient, "recipient", kAddress, true, "each envelope recipient", kSmtp,
     "abuse@example.org"},
    {Name::kClient, "client", kNetwork, false, "address of the client", kSmtp, "192.0.2.1"},
    {Name::kClientDomain, "client_domain", kDomain, false, "verified host name of the client",
     kSmtp, "mx.shop.example"},
    {Name::kHelo, "helo", kDomain, false, "what the client said in HELO", kSmtp, "mx.shop.example"},
    {Name::kListId, "list_id", kDomain, false, "identifier of List-Id", kHeader,
     "news.shop.example"},
    {Name::kProvedListId, "proved_list_id", kDomain, false,
     "identifier of List-Id, if its domain is proved", "List-Id, if it is proved",
     "news.shop.example"},
    {Name::kDkimDomain, "dkim_domain", kDomain, true, "each domain whose DKIM signature passed",
     "Authentication-Results of a server in counters.authserv_ids", "shop.example"},
    {Name::kUser, "user", kText, false, "login of SMTP AUTH", kSmtp, "joe"},
    {Name::kSubject, "subject", kText, false, "Subject, decoded, without case", kHeader, "hello"},
}};

constexpr bool name_rows_are_in_order() {
  for (std::size_t i = 0; i < kNameRows.size(); ++i)
    if (static_cast<std::size_t>(kNameRows[i].name) != i) return false;
  return true;
}
static_assert(name_rows_are_in_order(), "the row of a name is at its number");

}  // namespace

std::span<const NameRow> names() { return kNameRows; }

const NameRow& row_of(Name name) { return kNameRows[static_cast<std::size_t>(name)]; }

const NameRow* find_name(std::string_view word) {
  const auto* const found = std::ranges::find(kNameRows, word, &NameRow::word);
  return found == kNameRows.end() ? nullptr : &*found;
}

std::string_view to_string(NameRow::Form form) {
  constexpr std::array<std::string_view, 4> kForms = {"address", "domain", "network", "text"};
  return kForms[static_cast<std::size_t>(form)];
}

std::string to_string(const MessageNames& names, Name name) {
  if (!names.is_known(name)) return "unknown";
  std::string out;
  for (const std::string& value : names.values(name)) out += (out.empty() ? "" : ", ") + value;
  return out.empty() ? "none" : out;
}

}  // namespace shingled::milter::features
