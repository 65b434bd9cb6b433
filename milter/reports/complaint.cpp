#include "milter/reports/complaint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/ascii.h"
#include "milter/reports/message_shape.h"
#include "mime/message/header_block.h"

namespace shingled::milter::reports {

namespace {

using Kind = Complaint::Kind;

Complaint none(std::string why) { return {Kind::kNone, std::move(why)}; }

Complaint in_feedback(const mime::AttachedMessages& attached) {
  // A virus is not what others mean by spam, but its message is as unwanted.
  static constexpr std::array<std::string_view, 3> kComplaints = {"abuse", "fraud", "virus"};
  const std::string& type = attached.feedback_type;
  const bool wanted = type == "not-spam";
  if (type.empty()) return none("a feedback report without one clear Feedback-Type");
  if (!wanted && std::ranges::find(kComplaints, type) == kComplaints.end())
    return none("a feedback report of the type " + type + ", which is not a complaint");
  if (attached.messages.empty()) return none("a feedback report without the message itself");
  return {wanted ? Kind::kWanted : Kind::kSpam, ""};
}

/// From the null sender, or with "Auto-Submitted: auto-replied". People forward under their own
/// name. Rules of theirs that forward say auto-generated or auto-forwarded.
bool is_automatic(std::string_view message, const MimeOptions& options) {
  const mime::HeaderBlock header = mime::split_header_block(message, options);
  return null_sender(header.fields) == NullSender::kYes ||
         std::ranges::any_of(header.fields, [](const mime::HeaderField& field) {
           return ascii::equal_ignoring_case(ascii::trim_space(field.name), "Auto-Submitted") &&
                  mime::field_word(field.value) == "auto-replied";
         });
}

}  // namespace

Complaint complaint_in(std::string_view message, const mime::AttachedMessages& attached,
                       const MimeOptions& options) {
  if (attached.is_feedback) return in_feedback(attached);
  if (!attached.machine_report.empty())
    return none("a report of a mail system (" + attached.machine_report + ")");
  if (is_automatic(message, options)) return none("an automatic answer");
  if (!attached.messages.empty()) return {};
  if (attached.is_dmarc_report) return none("a report of DMARC");
  if (attached.has_outlook_file)
    return {
        Kind::kUnusable,
        "what is attached is in a format of Outlook's own (.msg, winmail.dat), which is not the "
        "message as it came; save it as .eml, or forward it from Outlook on the web"};
  return {Kind::kUnusable, "no message is attached"};
}

}  // namespace shingled::milter::reports
