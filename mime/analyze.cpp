#include "mime/analyze.h"

#include <algorithm>
#include <utility>

#include "mime/analysis_parts.h"
#include "mime/message/charset.h"
#include "mime/message/header_words.h"
#include "mime/message/message_scan.h"

namespace shingled::mime {
namespace {

/// Plain text in a multipart of two has an HTML sister that says the same (hashing.md section 9).
UrlMode url_mode(const Mail& mail, const MailPart& part, bool html) {
  const bool one_of_two = part.parent && mail.parts[*part.parent].children == 2;
  return html || one_of_two ? UrlMode::kStrict : UrlMode::kFull;
}

/// Fills in the stages of one text part, in place: they hold views of each other.
void make_text(const MailPart& part, bool html, const MimeOptions& options, Mail& mail,
               TextStages& text) {
  DecodedText decoded = decode_text(part.body, part.type.charset, text.converted);
  text.charset = std::move(decoded.charset);
  text.content = decoded.utf8;
  if (html) {
    const HtmlLimits limits{.input_bytes_max = options.part_bytes_max,
                            .text_bytes_max = options.text_bytes_max,
                            .elements_max = options.html_tags_max};
    text.html = html_to_text(decoded.utf8, limits, options.compat);
    text.content = text.html.content;
    if (text.html.truncated) mail.note("html limit reached");
  }
  text.words = make_words({.content = text.content,
                           .form = html ? TextForm::kHtml : TextForm::kPlain,
                           .bytes = decoded.raw ? TextBytes::kRaw : TextBytes::kUtf8,
                           .urls = url_mode(mail, part, html),
                           .links = text.html.links},
                          options);
  if (text.words.truncated) mail.note("text limit reached");
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

const std::vector<std::string>& Analysis::defects() const { return parts_->mail.defects; }

std::size_t Analysis::longest_text_bytes() const {
  std::size_t longest = 0;
  for (const TextStages& text : parts_->texts) {
    longest = std::max(longest, text.words.oneline.size());
  }
  return longest;
}

Analysis analyze(std::string_view message, const MimeOptions& options) {
  const auto parts = std::make_shared<Analysis::Parts>();
  parts->compat = options.compat;
  parts->mail = scan_message(message, options);
  Mail& mail = parts->mail;
  if (!mail.parts.empty()) {
    const HeaderField* subject = find_header(mail.parts.front().headers, "Subject");
    if (subject != nullptr) parts->subject = decode_subject(subject->value);
  }
  parts->contents.reserve(mail.parts.size());
  parts->texts.resize(mail.parts.size());
  for (std::size_t i = 0; i < mail.parts.size(); ++i) {
    const ContentKind kind = parts->contents.emplace_back(classify_part(mail, mail.parts[i])).kind;
    if (kind != ContentKind::kText && kind != ContentKind::kHtml) continue;
    make_text(mail.parts[i], kind == ContentKind::kHtml, options, mail, parts->texts[i]);
  }
  return Analysis(parts);
}

}  // namespace shingled::mime
