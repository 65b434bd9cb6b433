#include "mime/analyze.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/analysis_parts.h"
#include "mime/message/header_words.h"
#include "mime/message/message_scan.h"
#include "mime/message/part_roles.h"

namespace shingled::mime {

namespace {

// The cost of looking at the beginning and the end of a body (part_kind.h).
constexpr Steps kStepsAClassifiedPart = 1'000;
constexpr Steps kStepsAClassifiedByte = 8;
constexpr std::size_t kClassifiedBytesMax = 4096;

PartContent classify(const Mail& mail, const MailPart& part, WorkMeter& meter) {
  const std::size_t bytes = std::min(part.body.size(), kClassifiedBytesMax);
  if (!meter.spend(kStepsAClassifiedPart + bytes * kStepsAClassifiedByte)) return {};
  return classify_part(mail, part, meter);
}

/// Whether a header names a message that it answers or forwards.
Answer answer_in(const HeaderBlock& header) {
  const bool answers = std::ranges::any_of(header.fields, [](const HeaderField& field) {
    const bool named = ascii::equal_ignoring_case(field.name, "In-Reply-To") ||
                       ascii::equal_ignoring_case(field.name, "References");
    const std::size_t id = field.value.find('<');
    return named && id != std::string_view::npos &&
           field.value.find('@', id) != std::string_view::npos;
  });
  return answers ? Answer::kYes : Answer::kNo;
}

}  // namespace

std::string_view to_string(PartKind kind) {
  switch (kind) {
    case PartKind::kText:
      return "text";
    case PartKind::kHtml:
      return "html";
    case PartKind::kHtmlStructure:
      return "html_structure";
    case PartKind::kAttachment:
      return "attachment";
    case PartKind::kImage:
      return "image";
    case PartKind::kPdfScript:
      return "pdf_script";
    case PartKind::kRobust:
      return "robust";
  }
  return {};
}

std::string_view to_string(HashMethod method) {
  return method == HashMethod::kShingles ? "shingles" : "direct";
}

std::string_view to_string(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kMumhash:
      return "mumhash";
    case HashAlgorithm::kSiphash:
      return "siphash";
    case HashAlgorithm::kXxhash:
      return "xxhash";
    case HashAlgorithm::kFasthash:
      return "fasthash";
  }
  return {};
}

Analysis analyze(std::string_view message, const MimeOptions& options, std::stop_token stop) {
  const auto parts = std::make_shared<Analysis::Parts>();
  parts->options = options;
  parts->stop = std::move(stop);
  parts->header = split_header_block(message, options);
  const Steps steps = steps_for(message.size(), options.work_max);
  WorkMeter meter(steps / 2, parts->stop);  // half of the work is kept for the texts and hashes
  parts->mail = scan_message(message, options, meter);
  Mail& mail = parts->mail;
  parts->subject = decode_subject(mail.subject, options.compat, meter);
  parts->contents.reserve(mail.parts.size());
  for (const MailPart& part : mail.parts) parts->contents.push_back(classify(mail, part, meter));
  parts->body = body_texts(mail, parts->contents);
  parts->of_others = parts_of_others(mail);
  parts->answer = answer_in(parts->header);
  if (meter.refused()) mail.add_missing("work limit reached");
  parts->incomplete = mail.incomplete;
  parts->work_left = steps - steps / 2 + meter.left();
  return Analysis(parts);
}

}  // namespace shingled::mime
