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
      {"Version: 1\r\n", ""},
      {"Feedback-Type:\r\n", ""},
  };
  for (const Case& test : kCases) {
    const AttachedMessages found = unwrapped(report(test.fields));
    EXPECT_EQ(found.feedback_type, test.type) << test.fields;
    EXPECT_EQ(found.messages, (Texts{"Subject: spam\r\n\r\ntext\r\n"})) << test.fields;
  }
  EXPECT_EQ(
      unwrapped(report("Feedback-Type: " + std::string(5000, 'a') + "\r\n")).feedback_type.size(),
      64U);
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
