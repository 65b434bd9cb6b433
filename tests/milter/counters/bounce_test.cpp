#include "milter/counters/bounce.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "milter/counters/message_pieces.h"
#include "mime/message/header_block.h"

namespace shingled::milter::counters {
namespace {

const std::string kReport =
    "From: MAILER-DAEMON@mx.example.net\nSubject: Undelivered Mail Returned to Sender\n"
    "MIME-Version: 1.0\nContent-Type: multipart/report; boundary=x\n\n--x\n\nI am sorry to have to "
    "inform you that your message could not be delivered: http://help.example.net/\n--x\n"
    "Content-Type: message/delivery-status\n\nStatus: 5.0.0\n--x\nContent-Type: message/rfc822\n\n"
    "Subject: a\n\nhttp://other.example/\n--x--\n";
const std::string kQmail =
    "From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n\nHi. This is the qmail-send "
    "program at mx.example.net, and I was not able to deliver it.\n\n"
    "--- Below this line is a copy of the message.\n\nhttp://other.example/\n";
const std::string kExim =
    "From: Mailer-Daemon@mx.example.net\nX-Failed-Recipients: a@example.org\nSubject: Mail "
    "delivery "
    "failed\n\nthe mailbox of this person is full since yesterday evening\n";

Bounce kind_of(const std::string& message, std::string_view sender) {
  const mime::Analysis analysis = mime::analyze(message, {});
  const auto header = mime::split_header_block(message, {});
  return bounce_of(sender, header.fields, analysis.parts());
}

std::string types_of(const std::string& message, const std::string& sender) {
  const mime::Analysis analysis = mime::analyze(message, {});
  mime::WorkMeter meter(UINT64_MAX);
  Envelope envelope;
  envelope.sender = sender;
  std::string out;
  for (const mime::Piece& piece :
       message_pieces({.analysis = analysis}, envelope, {}, meter).pieces) {
    const std::string type = std::string(to_string(piece.type)) + ' ';
    if (out.find(type) == std::string::npos) out += type;
  }
  return out;
}

TEST(Bounce, ComesFromTheNullSenderInTheFormOfOne) {
  EXPECT_EQ(kind_of(kReport, "<>"), Bounce::kReport);
  EXPECT_EQ(kind_of(kReport, ""), Bounce::kReport) << "the sender is not known";
  EXPECT_EQ(kind_of(kReport, "a@example.org"), Bounce::kNone);
  EXPECT_EQ(kind_of(kQmail, "<>"), Bounce::kText);
  EXPECT_EQ(kind_of(kQmail, ""), Bounce::kNone) << "anybody writes such a text";
  EXPECT_EQ(kind_of(kExim, "<>"), Bounce::kText);
  EXPECT_EQ(kind_of(kExim, "a@example.org"), Bounce::kNone);
  EXPECT_EQ(kind_of("Subject: a\n\nbuy\n", "<>"), Bounce::kNone) << "the null sender alone";
}

TEST(Bounce, HasNoSignsButItsSender) {
  EXPECT_EQ(types_of(kReport, "<>"), "sender claimed_from_domain claimed_from ");
  const std::string qmail = types_of(kQmail, "<>");
  EXPECT_EQ(qmail.find("phrase"), std::string::npos) << qmail;
  EXPECT_EQ(qmail.find("subject"), std::string::npos) << qmail;
  EXPECT_EQ(qmail.find("header_names"), std::string::npos) << qmail;
}

TEST(Bounce, OfSomebodyIsAMessageLikeOthers) {
  const std::string types = types_of(kReport, "<a@example.org>");
  for (const char* type : {"phrase", "subject", "link_host", "header_names"}) {
    EXPECT_NE(types.find(type), std::string::npos) << type;
  }
}

TEST(Bounce, OfQmailKeepsItsLinks) {
  const std::string phish = kQmail.substr(0, kQmail.find("---")) + "http://login.example.org/ \n";
  EXPECT_NE(types_of(phish, "<>").find("link_host"), std::string::npos);
}

TEST(AnswerSubject, IsNotItsOwn) {
  const std::string body =
      "\n\nnobody here has ever ordered such a strange thing\n\nOn 5 May Ann wrote:\n> buy now\n";
  const std::string answers = "In-Reply-To: <a@example.org>\n";
  EXPECT_EQ(types_of(answers + "Subject: Re: Offer" + body, "").find("subject"), std::string::npos);
  EXPECT_NE(types_of(answers + "Subject: Offer" + body, "").find("subject"), std::string::npos);
  EXPECT_NE(types_of(answers + "Subject: Re: Offer\n\nbuy now\n", "").find("subject"),
            std::string::npos)
      << "it quotes nothing";
}

}  // namespace
}  // namespace shingled::milter::counters
