#include "mime/analyze.h"

#include <utility>

#include "mime/analysis_parts.h"
#include "mime/message/body_texts.h"
#include "mime/message/header_words.h"
#include "mime/message/message_scan.h"

namespace shingled::mime {

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
  parts->work_left = steps_for(message.size(), options.work_max);
  parts->mail = scan_message(message, options);
  Mail& mail = parts->mail;
  if (!mail.parts.empty()) {
    const HeaderField* subject = find_header(mail.parts.front().headers, "Subject");
    if (subject != nullptr) parts->subject = decode_subject(subject->value);
  }
  parts->contents.reserve(mail.parts.size());
  for (const MailPart& part : mail.parts) parts->contents.push_back(classify_part(mail, part));
  parts->body = body_texts(mail, parts->contents);
  return Analysis(parts);
}

}  // namespace shingled::mime
