#include "mime/message/attached_messages.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

using Texts = std::vector<std::string>;

AttachedMessages unwrapped(std::string_view message, std::size_t most = 100) {
  const MimeOptions options;
  WorkMeter meter(steps_for(message.size(), options.work_max));
  return attached_messages(message, options, most, meter);
}

constexpr const char* kHead = "Content-Type: multipart/mixed; boundary=x\n\n";

TEST(AttachedMessages, AreFoundInTheirOrder) {
  const std::string message =
      std::string(kHead) +
      "--x\n\nlook at these\n"
      "--x\nContent-Type: message/rfc822\n\nSubject: one\n\nfirst\n\n"
      "--x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
      "U3ViamVjdDogYQoKYm9keQo=\n"
      "--x\nContent-Type: application/octet-stream; name=\"Spam.EML\"\n\n"
      "Subject: three\n\nthird\n\n--x--\n";
  EXPECT_EQ(unwrapped(message).messages, (Texts{"Subject: one\n\nfirst\n", "Subject: a\n\nbody\n",
                                                "Subject: three\n\nthird\n"}));
  EXPECT_FALSE(unwrapped(message).incomplete);
  EXPECT_EQ(unwrapped(message, 2).messages.size(), 2U);
  EXPECT_TRUE(unwrapped(message, 2).incomplete);
}

TEST(AttachedMessages, WhatIsInsideOneStaysThere) {
  const std::string message =
      std::string(kHead) +
      "--x\nContent-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=y\n\n"
      "--y\nContent-Type: message/rfc822\n\nSubject: inner\n\ntext\n--y--\n"
      "--x\nContent-Type: message/rfc822\n\nSubject: two\n\ntext\n\n--x--\n";
  const auto found = unwrapped(message).messages;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0].find("Subject: inner"), std::string::npos);
  EXPECT_EQ(found[1], "Subject: two\n\ntext\n");
}

TEST(AttachedMessages, AFeedbackReportSaysWhatItIsAbout) {
  const auto report = [](const std::string& fields) {
    return "Content-Type: multipart/report; report-type=feedback-report; boundary=x\r\n\r\n"
           "--x\r\nContent-Type: text/plain\r\n\r\nThis is an abuse report.\r\n"
           "--x\r\nContent-Type: message/feedback-report\r\n\r\n" +
           fields +
           "\r\n--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: "
           "spam\r\n\r\ntext\r\n\r\n--x--\r\n";
  };
  struct Case {
    const char* fields;
    const char* type;
  };
  constexpr Case kCases[] = {
      {"Feedback-Type: abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\n", "abuse"},
      {"Version: 1\r\nfeedback-type:  Not-Spam \r\n", "not-spam"},
      {"Feedback-Type:\r\n not-spam\r\n", "not-spam"},
      {"Feedback-Type : not-spam\r\n", "not-spam"},
      {"FEEDBACK-TYPE\t:\tnot-spam (a (button) was pressed)\r\n", "not-spam"},
      {"\r\nFeedback-Type: fraud\r\n", "fraud"},
      {"Feedback-Type: abuse\r\nFeedback-Type: Abuse (again)\r\n", "abuse"},
      {"Feedback-Type: abuse\r\nFeedback-Type: not-spam\r\n", ""},
      {"Feedback-Type: abuse\r\nFeedback-Type: not-spam\r\nFeedback-Type: abuse\r\n", ""},
      {"X-Feedback-Type: abuse\r\nVersion: 1\r\n", ""},
      {"Version: 1\r\n", ""},
      {"Feedback-Type:\r\n", ""},
  };
  for (const Case& test : kCases) {
    const AttachedMessages found = unwrapped(report(test.fields));
    EXPECT_TRUE(found.is_feedback) << test.fields;
    EXPECT_EQ(found.machine_report, "") << test.fields;
    EXPECT_EQ(found.feedback_type, test.type) << test.fields;
    EXPECT_EQ(found.messages, (Texts{"Subject: spam\r\n\r\ntext\r\n"})) << test.fields;
  }
  const std::string sized = "Feedback-Type: " + std::string(kFeedbackTypeMax, 'a') + "\r\n";
  EXPECT_EQ(unwrapped(report(sized)).feedback_type.size(), kFeedbackTypeMax);
  EXPECT_EQ(unwrapped(report("Feedback-Type: a" + sized.substr(15))).feedback_type, "");
}

TEST(AttachedMessages, WhatTheOthersAreIsSaidOutsideOfThemOnly) {
  const std::string bounce =
      "Content-Type: multipart/report; report-type=delivery-status; boundary=y\n\n"
      "--y\n\nno such user\n"
      "--y\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n"
      "--y\nContent-Type: message/rfc822\n\nSubject: returned\n\ntext\n--y--\n";
  const std::string feedback =
      "Content-Type: multipart/report; boundary=z\n\n"
      "--z\nContent-Type: message/feedback-report\n\nFeedback-Type: not-spam\n--z--\n";
  const auto carried = [](const std::string& message) {
    return std::string(kHead) + "--x\nContent-Type: message/rfc822\n\n" + message + "\n--x--\n";
  };
  EXPECT_EQ(unwrapped(bounce).machine_report, "delivery-status");
  EXPECT_EQ(unwrapped(bounce).messages.size(), 1U);
  EXPECT_EQ(unwrapped(carried(bounce)).machine_report, "");
  EXPECT_EQ(unwrapped(carried(bounce)).messages.size(), 1U);
  EXPECT_TRUE(unwrapped(feedback).is_feedback);
  EXPECT_FALSE(unwrapped(carried(feedback)).is_feedback);
  EXPECT_EQ(unwrapped(carried(feedback)).feedback_type, "");
  EXPECT_EQ(
      unwrapped("Content-Type: multipart/report; boundary=y\n\n--y\n\nx\n--y--\n").machine_report,
      "report");
}

TEST(AttachedMessages, FilesThatAreNoneHaveNames) {
  const auto with = [](const std::string& fields, const std::string& body = "x") {
    return unwrapped(std::string(kHead) + "--x\n\nsee this\n--x\n" + fields + "\n\n" + body +
                     "\n--x--\n");
  };
  const auto named = [](const std::string& name) {
    return "Content-Type: application/octet-stream; name=\"" + name + '"';
  };
  EXPECT_TRUE(with(named("a.example!b.example!1!2.xml.gz")).is_dmarc_report);
  EXPECT_TRUE(with(named("a.example!b.example!1!2!id.ZIP")).is_dmarc_report);
  EXPECT_FALSE(with(named("sale!!.zip")).is_dmarc_report);
  EXPECT_TRUE(with(named("offer.MSG"), "\xd0\xcf\x11\xe0\xa1").has_outlook_file);
  EXPECT_FALSE(with(named("offer.msg"), "Subject: x").has_outlook_file);
  EXPECT_TRUE(with(named("winmail.dat")).has_outlook_file);
  EXPECT_TRUE(with("Content-Type: application/ms-tnef").has_outlook_file);
}

TEST(AttachedMessages, PartsOfADigestAreMessages) {
  const auto found =
      unwrapped(
          "Content-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: a\n\none\n--x\n\nSubject: "
          "b\nContent-Type: text/html\n\ntwo\n--x\nContent-Type: text/plain\n\nthree\n--x--\n")
          .messages;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "Subject: a\n\none");
  EXPECT_EQ(found[1], "Subject: b\nContent-Type: text/html\n\ntwo");
}

TEST(AttachedMessages, OrdinaryMailHasNone) {
  for (const char* message :
       {"", "\n", "Subject: x\n\ntext\n", "Content-Type: message/rfc822\n\nSubject: x\n\ntext\n",
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\n--x--\n",
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/rfc822-headers\n\n"
        "Subject: x\n--x--\n"}) {
    EXPECT_TRUE(unwrapped(message).messages.empty()) << message;
  }
}

TEST(AttachedMessages, BadInputHasAnEnd) {
  std::string nested;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "b" + std::to_string(i);
    nested += "Content-Type: multipart/mixed; boundary=" + name + "\n\n--" + name +
              "\nContent-Type: message/rfc822\n\n";
  }
  EXPECT_LE(unwrapped(nested).messages.size(), 1U);
  std::string many = kHead;
  for (int i = 0; i < 20'000; ++i) many += "--x\nContent-Type: message/rfc822\n\nSubject: a\n\nb\n";
  const AttachedMessages found = unwrapped(many, 50);
  EXPECT_EQ(found.messages.size(), 50U);
  EXPECT_TRUE(found.incomplete);
  WorkMeter empty(0);
  EXPECT_TRUE(attached_messages(many, MimeOptions(), 50, empty).messages.empty() ||
              empty.refused());
}

}  // namespace
}  // namespace shingled::mime
