#include "milter/reports/complaint.h"

#include <gmock/gmock.h>

namespace shingled::milter::reports {
namespace {

using Kind = Complaint::Kind;
using ::testing::HasSubstr;

TEST(Complaint, IsWhatSomebodyComplainsOf) {
  const auto feedback = [](const char* type, std::vector<std::string> messages = {"A: 1\n\nx\n"}) {
    mime::AttachedMessages attached;
    attached.is_feedback = true;
    attached.feedback_type = type;
    attached.messages = std::move(messages);
    return attached;
  };
  const auto machine = [](const char* what) {
    mime::AttachedMessages attached;
    attached.messages = {"A: 1\n\nx\n"};
    attached.machine_report = what;
    return attached;
  };
  mime::AttachedMessages forward;
  forward.messages = {"A: 1\n\nx\n"};
  mime::AttachedMessages dmarc;
  dmarc.is_dmarc_report = true;
  mime::AttachedMessages outlook;
  outlook.has_outlook_file = true;
  const struct {
    const char* why;
    mime::AttachedMessages attached;
    const char* header;
    Kind kind;
    const char* words;
  } cases[] = {
      {"abuse", feedback("abuse"), "", Kind::kSpam, ""},
      {"fraud", feedback("fraud"), "", Kind::kSpam, ""},
      {"a virus", feedback("virus"), "", Kind::kSpam, ""},
      {"wanted mail", feedback("not-spam"), "", Kind::kWanted, ""},
      {"a feedback loop may send from nobody", feedback("abuse"),
       "Return-Path: <>\nAuto-Submitted: auto-generated\n", Kind::kSpam, ""},
      {"DMARC of one message", feedback("auth-failure"), "", Kind::kNone, "auth-failure"},
      {"unsubscribed", feedback("opt-out"), "", Kind::kNone, "opt-out"},
      {"unsubscribed from a list", feedback("opt-out-list"), "", Kind::kNone, "opt-out-list"},
      {"something else", feedback("other"), "", Kind::kNone, "other"},
      {"a type of tomorrow", feedback("dmarc"), "", Kind::kNone, "dmarc"},
      {"no type", feedback(""), "", Kind::kNone, "Feedback-Type"},
      {"the header alone", feedback("abuse", {}), "", Kind::kNone, "without the message"},
      {"wanted, the header alone", feedback("not-spam", {}), "", Kind::kNone, "without"},
      {"a bounce", machine("delivery-status"), "", Kind::kNone, "delivery-status"},
      {"a receipt", machine("disposition-notification"), "", Kind::kNone, "disposition"},
      {"a report of TLS", machine("tlsrpt"), "", Kind::kNone, "tlsrpt"},
      {"a report of DMARC", dmarc, "", Kind::kNone, "DMARC"},
      {"a bounce of a form of its own", forward, "Return-Path: <>\n", Kind::kNone, "automatic"},
      {"an answer of the absent", forward, "Auto-Submitted: auto-replied (vacation)\n", Kind::kNone,
       "automatic"},
      {"a person", forward, "Return-Path: <ann@a>\n", Kind::kForward, ""},
      {"a rule of a person", forward, "Return-Path: <ann@a>\nAuto-Submitted: auto-generated\n",
       Kind::kForward, ""},
      {"by hand", forward, "Auto-Submitted: no\n", Kind::kForward, ""},
      {"nothing", {}, "", Kind::kUnusable, "no message is attached"},
      {"a file of Outlook", outlook, "", Kind::kUnusable, ".msg"},
      {"nothing, by a program", {}, "Return-Path: <>\n", Kind::kNone, "automatic"},
  };
  for (const auto& c : cases) {
    const std::string message = std::string(c.header) + "Subject: x\n\ntext\n";
    const Complaint complaint = complaint_in(message, c.attached, MimeOptions());
    EXPECT_EQ(complaint.kind, c.kind) << c.why;
    EXPECT_THAT(complaint.why, HasSubstr(c.words)) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::reports
