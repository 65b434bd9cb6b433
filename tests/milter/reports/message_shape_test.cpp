#include "milter/reports/message_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/message/header_block.h"

namespace shingled::milter::reports {
namespace {

using ::testing::HasSubstr;

using namespace std::string_literals;

TEST(MessageShape, WhatIsMailIsTaughtAndWhatIsNotIsNot) {
  const struct {
    const char* why;
    std::string bytes;
    const char* problem;  // "" = a message
  } cases[] = {
      {"a message", "Subject: x\r\n\r\ntext\r\n", ""},
      {"a header alone", "Subject: x\r\n", ""},
      {"a field of one letter", "A: 1\r\n\r\none\r\n", ""},
      {"blanks before the colon are obsolete syntax", "Subject \t: x\r\n\r\ntext\r\n", ""},
      {"a field without a value", "Received:\r\n\r\ntext\r\n", ""},
      {"a quoted From_ line, left by a mail program", ">From a@b Sat Nov 21\r\nA: 1\r\n\r\nx\r\n",
       ""},
      {"a byte order mark", "\xef\xbb\xbfSubject: x\r\n\r\ntext\r\n", ""},
      {"8-bit and broken lines further on", "A: 1\r\n\xe9\xe8\r\nno field\r\n\r\ntext\r\n", ""},
      {"NUL bytes in the body, which mail has", "Subject: x\r\n\r\nte\0xt\r\n"s, ""},
      {"nothing at all has no hash anyway", "", ""},
      {"a picture", "\x89PNG\r\n\x1a\r\n\0\0\0\rIHDR"s, "header"},
      {"an archive", "PK\x03\x04\x14\0\x06\0text:"s, "header"},
      {"a program",
       "\x7f"
       "ELF\x02\x01\x01\0\0\0"s,
       "header"},
      {"a PDF", "%PDF-1.7\r\n1 0 obj\r\n", "header"},
      {"a compressed message", "\x1f\x8b\x08\0\0\0\0\0"s, "header"},
      {"UTF-16", "S\0u\0b\0j\0e\0c\0t\0:\0"s, "header"},
      {"plain text", "Dear friend, buy: now\r\n\r\nmore\r\n", "header"},
      {"a web page", "<html xmlns:x=\"y\">\r\n", "header"},
      {"JSON", "{\"a\":1}\r\n", "header"},
      {"a body without its header", "\r\nSubject: x\r\n", "header"},
      {"a colon first", ": x\r\n\r\ntext\r\n", "header"},
      {"a quoted From_ line and nothing else", ">From a@b", "header"},
      {"a binary file that begins like a field", "RIFF:\0\0\0\0WAVE"s, "NUL"},
  };
  for (const auto& c : cases) {
    const auto problem = why_no_message(c.bytes);
    EXPECT_EQ(problem.has_value(), *c.problem != '\0') << c.why << ": " << problem.value_or("");
    if (problem) {
      EXPECT_THAT(*problem, HasSubstr(c.problem)) << c.why;
    }
  }
}

mime::HeaderBlock header_of(const std::string& text) {
  return mime::split_header_block(text, MimeOptions());
}

TEST(AutomaticMail, AnAnswerIsMoreThanOneField) {
  const struct {
    const char* why;
    std::string header;
    bool automatic;
  } cases[] = {
      {"as Pigeonhole writes it",
       "Return-Path: <>\nAuto-Submitted: auto-replied (vacation)\nIn-Reply-To: <1@a>\n", true},
      {"with a comment first",
       "Return-Path: <>\nAuto-Submitted: (x) auto-replied\nReferences: <1@a>\n", true},
      {"with a comment in a comment",
       "Return-Path: <>\nAuto-Submitted: auto-replied(a (b))\nReferences: <1@a>\n", true},
      {"with parameters, folded",
       "Return-Path: <>\nauto-submitted:\n AUTO-REPLIED; owner-email=a@b\nReferences: <1@a>\n",
       true},
      {"a blank before the colon",
       "Return-Path : <>\nAuto-Submitted : auto-replied\nIn-Reply-To : <1@a>\n", true},
      {"a comment in the path",
       "Return-Path: <> (null)\nAuto-Submitted: auto-replied\nIn-Reply-To: <1@a>\n", true},
      {"the field alone", "Auto-Submitted: auto-replied\n", false},
      {"from somebody", "Return-Path: <a@b>\nAuto-Submitted: auto-replied\nIn-Reply-To: <1@a>\n",
       false},
      {"nobody knows from whom", "Auto-Submitted: auto-replied\nIn-Reply-To: <1@a>\n", false},
      {"a second path, of the sender",
       "Return-Path: <a@b>\nReturn-Path: <>\nAuto-Submitted: auto-replied\nIn-Reply-To: <1@a>\n",
       false},
      {"to nothing", "Return-Path: <>\nAuto-Submitted: auto-replied\n", false},
      {"to an empty field",
       "Return-Path: <>\nAuto-Submitted: auto-replied\nIn-Reply-To: \nReferences:\n", false},
      {"made by a program, but no answer",
       "Return-Path: <>\nAuto-Submitted: auto-generated\nIn-Reply-To: <1@a>\n", false},
      {"a comment is not a value",
       "Return-Path: <>\nAuto-Submitted: no (auto-replied)\nIn-Reply-To: <1@a>\n", false},
      {"written by hand", "Return-Path: <>\nAuto-Submitted: no\nIn-Reply-To: <1@a>\n", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_automatic_answer(header_of(c.header).fields), c.automatic) << c.why;
  }
}

constexpr const char* kReport = "Content-Type: multipart/report; boundary=r\n";
constexpr const char* kStatus =
    "Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; v@example.org\n"
    "Action: failed\nStatus: 5.1.1\n";

bool is_report(const std::string& head, const std::string& type, const std::string& status) {
  const std::string message = head +
                              "\n--r\n\nIt could not be delivered.\n--r\nContent-Type: " + type +
                              "\n\n" + status + "\n--r--\n";
  const mime::Analysis analysis = mime::analyze(message, MimeOptions());
  return is_system_report(header_of(message).fields, analysis.parts().mail.parts, MimeOptions());
}

TEST(AutomaticMail, AReportOfASystemHasItsShape) {
  constexpr const char* kDelivery = "message/delivery-status";
  const std::string null = "Return-Path: <>\n";
  const std::string receipt =
      "Final-Recipient: rfc822; v@a\nDisposition: manual-action; displayed\n";
  EXPECT_TRUE(is_report(null + kReport, kDelivery, kStatus));
  EXPECT_TRUE(is_report(null + kReport, "message/global-delivery-status", kStatus));
  EXPECT_TRUE(is_report(kReport, kDelivery, kStatus)) << "its sender is not known";
  EXPECT_TRUE(is_report(null + kReport, "message/disposition-notification", receipt));
  EXPECT_FALSE(is_report(std::string("Return-Path: <a@b>\n") + kReport, kDelivery, kStatus))
      << "somebody sent it";
  EXPECT_FALSE(is_report(null + "Content-Type: multipart/mixed; boundary=r\n", kDelivery, kStatus))
      << "no report";
  EXPECT_FALSE(is_report(null + kReport, kDelivery, "x")) << "a byte";
  EXPECT_FALSE(is_report(null + kReport, kDelivery, "Final-Recipient:\nAction:\nStatus:\n"))
      << "names without values";
  EXPECT_FALSE(is_report(null + kReport, "message/disposition-notification", kStatus))
      << "the fields of another kind";
  EXPECT_FALSE(is_report(null + kReport, "text/plain", kStatus)) << "a text";
  const std::string inner = std::string("Content-Type: multipart/mixed; boundary=q\n\n--q\n") +
                            kReport + "\n--r\nContent-Type: message/delivery-status\n\n" + kStatus +
                            "\n--r--\n--q--\n";
  const mime::Analysis analysis = mime::analyze(inner, MimeOptions());
  EXPECT_FALSE(is_system_report(header_of(null).fields, analysis.parts().mail.parts, MimeOptions()))
      << "a report inside other mail";
}

}  // namespace
}  // namespace shingled::milter::reports
