#include "mime/message/attached_messages.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"
#include "mime/message/inner_entity.h"
#include "mime/message/message_scan.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {

namespace {

constexpr std::string_view kFeedbackField = "feedback-type";

bool is_attached_message(const MailPart& part) {
  if (part.type.type == "message") {
    return part.type.subtype == "rfc822" || part.type.subtype == "global";
  }
  return !part.is_multipart() && ascii::to_lower(part.file_name()).ends_with(".eml");
}

/// A part of a digest is a message even if nothing in it is more than text (inner_entity.h).
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

/// Each Feedback-Type among the fields of message/feedback-report, also after an empty line, which
/// some reports begin with. Calls `see` with its word.
void read_feedback_types(std::string_view body, const MimeOptions& options,
                         const std::function<void(std::string)>& see) {
  constexpr int kBlocksMax = 16;
  for (int i = 0; i < kBlocksMax && !body.empty(); ++i) {
    const HeaderBlock block = split_header_block(body, options);
    for (const HeaderField& field : block.fields) {
      if (ascii::equal_ignoring_case(ascii::trim_space(field.name), kFeedbackField))
        see(field_word(field.value));
    }
    body.remove_prefix(std::min(block.body_begin, body.size()));
  }
}

/// "receiver!example.org!1700000000!1700086400.xml.gz"
bool is_dmarc_name(std::string_view name) {
  constexpr std::ptrdiff_t kSeparators = 3;
  return std::count(name.begin(), name.end(), '!') >= kSeparators &&
         (name.ends_with(".xml") || name.ends_with(".gz") || name.ends_with(".zip"));
}

bool is_outlook_file(const MailPart& part, std::string_view name) {
  constexpr std::string_view kCompoundFile = "\xd0\xcf\x11\xe0";
  const bool named = name.ends_with(".msg") || part.type.subtype == "vnd.ms-outlook";
  return (named && part.body.starts_with(kCompoundFile)) || name == "winmail.dat" ||
         part.type.subtype == "ms-tnef";
}

/// Finds out what a message says of what is attached to it.
class Purpose {
 public:
  Purpose(const MimeOptions& options, AttachedMessages& out) : options_(options), out_(out) {}

  void see(const MailPart& part) {
    const MediaType& type = part.type;
    const std::string name = ascii::to_lower(part.file_name());
    if (type.type == "message" && type.subtype == "feedback-report") {
      out_.is_feedback = true;
      read_feedback_types(part.body, options_,
                          [this](std::string word) { see_feedback(std::move(word)); });
    } else if (type.type == "multipart" && type.subtype == "report") {
      if (out_.machine_report.empty()) out_.machine_report = kReport;
    } else if (part.is_report() || type.subtype == "global-delivery-status") {
      see_machine(type.subtype);
    } else if (type.subtype.starts_with("tlsrpt")) {
      see_machine("tlsrpt");
    }
    out_.is_dmarc_report = out_.is_dmarc_report || is_dmarc_name(name);
    out_.has_outlook_file = out_.has_outlook_file || is_outlook_file(part, name);
  }

  void end() {
    if (out_.is_feedback) out_.machine_report.clear();
  }

 private:
  void see_feedback(std::string word) {
    if (word.size() > kFeedbackTypeMax) word.clear();
    const bool differs = typed_ && word != out_.feedback_type;
    out_.feedback_type = differs ? "" : std::move(word);
    typed_ = true;
  }

  void see_machine(std::string_view what) {
    if (out_.machine_report.empty() || out_.machine_report == kReport) out_.machine_report = what;
  }

  static constexpr std::string_view kReport = "report";

  const MimeOptions& options_;
  AttachedMessages& out_;
  bool typed_ = false;  // a Feedback-Type was seen
};

}  // namespace

AttachedMessages attached_messages(std::string_view message, const MimeOptions& options,
                                   std::size_t most, WorkMeter& meter) {
  const Mail mail = scan_message(message, options, meter);
  AttachedMessages out;
  out.incomplete = mail.incomplete;
  Purpose purpose(options, out);
  std::optional<std::uint32_t> taken_depth;  // of the last message that was found
  for (const MailPart& part : mail.parts) {
    // Parts are in pre-order: what is deeper is inside it.
    if (taken_depth && part.depth > *taken_depth) continue;
    taken_depth.reset();
    purpose.see(part);
    if (!part.parent) continue;
    const bool digested = is_digested(mail, part);
    if (!digested && !is_attached_message(part)) continue;
    taken_depth = part.depth;
    if (part.body.empty()) continue;
    if (out.messages.size() == most) {
      out.incomplete = true;
      continue;
    }
    const std::string_view found = without_delimiter_break(part);
    out.messages.emplace_back(digested ? without_first_break(found) : found);
  }
  purpose.end();
  return out;
}

}  // namespace shingled::mime
