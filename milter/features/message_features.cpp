#include "milter/features/message_features.h"

#include <algorithm>
#include <chrono>

namespace shingled::milter::features {

namespace {

/// The parts of a message, counted.
struct Counted {
  std::uint64_t parts = 0;
  std::uint64_t attachments = 0;
  std::uint64_t images = 0;
  bool html = false;
};

Counted count_parts(const mime::Analysis::Parts& parts) {
  using enum mime::ContentKind;
  Counted out;
  for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
    const mime::MailPart& part = parts.mail.parts[i];
    const mime::ContentKind kind = parts.contents[i].kind;
    if (kind == kContainer) continue;
    ++out.parts;
    if (kind == kHtml) out.html = true;
    if (kind == kImage) ++out.images;
    const bool file = kind == kAttachment || kind == kArchive || part.is_attached();
    if (file) ++out.attachments;
  }
  return out;
}

/// The result of a method: of several "pass" if one has it, else the first. Empty: there is none.
std::string result_of(std::span<const mime::AuthenticationResults> fields,
                      std::string_view method) {
  std::string out;
  for (const mime::AuthenticationResults& field : fields) {
    for (const mime::AuthResult& result : field.results) {
      if (result.method != method) continue;
      if (out.empty() || result.result == "pass") out = result.result;
    }
  }
  return out;
}

void set_results(const SeenMessage& message, FeatureValues& out) {
  if (!message.results) return;
  for (const Feature feature : {Feature::kSpf, Feature::kDkim, Feature::kDmarc}) {
    const FeatureRow& row = row_of(feature);
    std::string result = result_of(*message.results, row.name);
    // A word that a rule cannot name is as good as none.
    if (std::ranges::find(row.words, result) != row.words.end())
      out.set_word(feature, std::move(result));
  }
}

void set_arrival(const SeenMessage& message, FeatureValues& out) {
  const Arrival& arrival = message.arrival;
  if (arrival.recipients) out.set_number(Feature::kRecipients, *arrival.recipients);
  if (arrival.local) out.set_yes(Feature::kLocal, *arrival.local);
  if (arrival.authenticated) out.set_yes(Feature::kAuthenticated, *arrival.authenticated);
  if (arrival.bounce) out.set_yes(Feature::kBounce, *arrival.bounce);
  const auto of_day = message.time.time_since_epoch() % std::chrono::days(1);
  out.set_number(
      Feature::kHour,
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::hours>(of_day).count()));
}

}  // namespace

void TextSummary::add(const mime::TextStages& text) {
  words_ += text.words.tokens.size();
  if (text.words.line.text.size() <= longest_) return;
  longest_ = text.words.line.text.size();
  language_ = text.words.language.code;
}

FeatureValues message_features(const SeenMessage& message) {
  FeatureValues out;
  const mime::Analysis::Parts& parts = message.analysis.parts();
  const Counted counted = count_parts(parts);
  out.set_number(Feature::kBytes, message.bytes.size());
  out.set_number(Feature::kDefects, message.hashes.defects.size());
  if (!parts.incomplete) {
    out.set_number(Feature::kParts, counted.parts);
    out.set_number(Feature::kAttachments, counted.attachments);
    out.set_number(Feature::kImages, counted.images);
    if (message.links) out.set_number(Feature::kLinks, *message.links);
  }
  if (counted.html || !parts.incomplete) out.set_yes(Feature::kHtml, counted.html);
  if (!parts.incomplete && !message.hashes.incomplete) {
    out.set_number(Feature::kWords, message.texts.words());
    if (!message.texts.language().empty())
      out.set_word(Feature::kLanguage, message.texts.language());
  }
  set_results(message, out);
  set_arrival(message, out);
  return out;
}

}  // namespace shingled::milter::features
