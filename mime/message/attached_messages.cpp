#include "mime/message/attached_messages.h"

#include <algorithm>
#include <optional>

#include "config/base/ascii.h"
#include "mime/message/digest_part.h"
#include "mime/message/message_scan.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {

namespace {

constexpr std::string_view kFeedbackField = "feedback-type:";
constexpr std::size_t kFeedbackTypeMax = 64;

bool is_attached_message(const MailPart& part) {
  if (part.type.type == "message") {
    return part.type.subtype == "rfc822" || part.type.subtype == "global";
  }
  return !part.is_multipart() && ascii::to_lower(part.file_name()).ends_with(".eml");
}

/// A part of a digest is a message even if nothing in it is more than text (digest_part.h).
bool is_digested(const Mail& mail, const MailPart& part) {
  return !part.type_declared && mail.parts[*part.parent].type.subtype == "digest";
}

/// The line break before a delimiter belongs to the delimiter.
std::string_view without_delimiter_break(const MailPart& part) {
  std::string_view body = part.body;
  if (is_encoded(part.encoding) || !body.ends_with('\n')) return body;
  body.remove_suffix(body.ends_with("\r\n") ? 2 : 1);
  return body;
}

/// The value of Feedback-Type in the fields of message/feedback-report.
std::string feedback_type_in(std::string_view fields) {
  while (!fields.empty()) {
    std::string_view line = fields.substr(0, fields.find('\n'));
    fields.remove_prefix(std::min(line.size() + 1, fields.size()));
    if (line.size() < kFeedbackField.size() ||
        ascii::to_lower(line.substr(0, kFeedbackField.size())) != kFeedbackField)
      continue;
    line.remove_prefix(kFeedbackField.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, std::min(line.find_last_not_of(" \t\r") + 1, kFeedbackTypeMax));
    return ascii::to_lower(line);
  }
  return "";
}

}  // namespace

AttachedMessages attached_messages(std::string_view message, const MimeOptions& options,
                                   std::size_t most, WorkMeter& meter) {
  const Mail mail = scan_message(message, options, meter);
  AttachedMessages out;
  out.incomplete = mail.incomplete;
  std::optional<std::uint32_t> taken_depth;  // of the last message that was found
  for (const MailPart& part : mail.parts) {
    // Parts are in pre-order: what is deeper is inside it.
    if (taken_depth && part.depth > *taken_depth) continue;
    taken_depth.reset();
    if (part.type.type == "message" && part.type.subtype == "feedback-report" &&
        out.feedback_type.empty()) {
      out.feedback_type = feedback_type_in(part.body);
    }
    if (!part.parent) continue;
    const bool digested = is_digested(mail, part);
    if (!digested && !is_attached_message(part)) continue;
    taken_depth = part.depth;
    if (part.body.empty()) continue;
    if (out.messages.size() == most) {
      out.incomplete = true;
      break;
    }
    const std::string_view found = without_delimiter_break(part);
    out.messages.emplace_back(digested ? without_first_break(found) : found);
  }
  return out;
}

}  // namespace shingled::mime
