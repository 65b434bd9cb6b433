#include "mime/message/part_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "mime/analyze.h"
#include "mime/message/message_scan.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The section numbers of the body's texts.
std::vector<std::string> body_of(const std::string& message) {
  const Mail mail = scan_all(message);
  std::vector<PartContent> contents;
  for (const MailPart& part : mail.parts) contents.push_back(content_of(mail, part));
  std::vector<std::string> paths;
  for (const std::uint32_t i : body_texts(mail, contents)) paths.push_back(mail.parts[i].path);
  return paths;
}

const std::string kText = "Content-Type: text/plain\n\nbuy\n";
const std::string kHtml = "Content-Type: text/html\n\n<p>buy</p>\n";
const std::string kBlank = "Content-Type: text/plain\n\n \n";
const std::string kAttached =
    "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nbuy\n";

std::string multipart(const std::string& subtype, const std::string& boundary,
                      std::initializer_list<std::string> parts) {
  std::string out = "Content-Type: multipart/";
  out.append(subtype).append("; boundary=").append(boundary).append("\n\n");
  for (const std::string& part : parts) out.append("--").append(boundary).append("\n").append(part);
  return out.append("--").append(boundary).append("--\n");
}

TEST(BodyTexts, AreTheFirstTextAndItsAlternatives) {
  EXPECT_THAT(body_of(kText), ElementsAre("1"));
  EXPECT_THAT(body_of(multipart("alternative", "x", {kText, kHtml})), ElementsAre("1", "2"));
  EXPECT_THAT(body_of(multipart("mixed", "x", {kText, kText})), ElementsAre("1"))
      << "the second is a footer of a list";
  EXPECT_THAT(body_of(multipart("mixed", "x", {kBlank, kHtml, kText})), ElementsAre("2"));
  EXPECT_THAT(body_of(multipart("mixed", "x", {kAttached, kText})), ElementsAre("2"));
  EXPECT_THAT(
      body_of(multipart("mixed", "x", {multipart("alternative", "y", {kText, kHtml}), kText})),
      ElementsAre("1.1", "1.2"));
  EXPECT_THAT(body_of(multipart(
                  "alternative", "x",
                  {kText, multipart("related", "y", {kHtml, "Content-Type: image/png\n\nx\n"})})),
              ElementsAre("1", "2.1"));
}

TEST(BodyTexts, HaveAnInvitationBesideThem) {
  const std::string invitation = "Content-Type: text/calendar\n\nSUMMARY:buy\n";
  EXPECT_THAT(body_of(invitation), ElementsAre("1"));
  EXPECT_THAT(body_of(multipart("alternative", "x", {kText, invitation})), ElementsAre("1", "2"));
  EXPECT_THAT(body_of(multipart("mixed", "x", {invitation, kText})), ElementsAre("1", "2"))
      << "it does not take the place of the text";
  EXPECT_THAT(body_of(multipart("mixed", "x", {kText, invitation})), ElementsAre("1"));
  EXPECT_THAT(body_of("Content-Type: text/vcard\n\nFN:buy\n"), IsEmpty());
}

TEST(BodyTexts, AreNotThoseOfAttachedMessages) {
  const std::string attached = "Content-Type: message/rfc822\n\n" + kText;
  EXPECT_THAT(body_of(multipart("mixed", "x", {attached})), IsEmpty());
  EXPECT_THAT(body_of(multipart("mixed", "x", {attached, kText})), ElementsAre("2"));
  EXPECT_THAT(body_of(""), IsEmpty());
}

/// A body that says enough.
const std::string kOffer =
    "Dear customer,\n\nour chemist offers medication without prescription. Every order leaves the "
    "warehouse within hours, discreet packaging guaranteed, worldwide delivery included.\n";

TEST(RobustHash, StandsBehindTheOthersAndOnlyIfAsked) {
  const std::string message = "Subject: x\n\n" + kOffer;
  const auto plain = hash_message(analyze(message, {}), HashRule({.min_bytes = 0}));
  const auto robust =
      hash_message(analyze(message, {}), HashRule({.min_bytes = 0, .robust = true}));
  ASSERT_EQ(plain.size(), 1U);
  ASSERT_EQ(robust.size(), 2U);
  EXPECT_EQ(robust[0].fingerprint, plain[0].fingerprint);
  EXPECT_EQ(robust[1].kind, PartKind::kRobust);
  EXPECT_EQ(robust[1].method, HashMethod::kShingles);
  EXPECT_EQ(robust[1].part, "1");
  EXPECT_TRUE(robust[1].fingerprint.shingles);
}

TEST(RobustHash, IsMadeOfShortTextsButNotOfThoseThatSayNothing) {
  const HashRule rule({.robust = true});
  EXPECT_EQ(hash_message(analyze("\n" + kOffer, {}), rule).size(), 1U)
      << "too short for the compatible hashes";
  EXPECT_THAT(hash_message(analyze("\nThanks, see you tomorrow!\n", {}), rule), IsEmpty());
}

TEST(RobustHash, IsAllThatAnInvitationHas) {
  std::string folded = "DESCRIPTION:" + kOffer;
  std::replace(folded.begin(), folded.end(), '\n', ' ');
  const std::string message = "Content-Type: text/calendar\n\n" + folded + "\n";
  const auto hashes =
      hash_message(analyze(message, {}), HashRule({.min_bytes = 0, .robust = true}));
  ASSERT_EQ(hashes.size(), 1U) << "for rspamd it is no text";
  EXPECT_EQ(hashes[0].kind, PartKind::kRobust);
}

TEST(RobustHash, KnowsHowManyWordsATextHasBehindAnEmptyPart) {
  const std::string message =
      multipart("mixed", "x", {"Content-Type: text/plain\n\n", "\n" + kOffer});
  const auto hashes = hash_message(analyze(message, {}), HashRule({.robust = true}));
  ASSERT_EQ(hashes.size(), 1U);
  EXPECT_GT(hashes[0].own_words, 0U);
}

TEST(RobustHash, IsNotMadeWhereTextsAreNotHashed) {
  const HashRule rule({.text_hashes = false, .robust = true});
  EXPECT_THAT(hash_message(analyze("\n" + kOffer, {}), rule), IsEmpty());
}

TEST(RobustHash, IsOneForAlternativesThatSayTheSame) {
  const std::string message =
      multipart("alternative", "x",
                {"\n" + kOffer, "Content-Type: text/html\n\n<p>" + kOffer.substr(0, 14) +
                                    "</p><p>" + kOffer.substr(16) + "</p>\n"});
  EXPECT_EQ(hash_message(analyze(message, {}), HashRule({.robust = true})).size(), 1U);
}

std::vector<std::string> paths(const Mail& mail, const std::vector<bool>& chosen) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) out.push_back(mail.parts[i].path);
  }
  return out;
}

std::vector<std::string> others_of(const std::string& message) {
  const Mail mail = scan_all(message);
  return paths(mail, parts_of_others(mail));
}

const std::string kSeeBelow = "Content-Type: text/plain\n\nsee below\n";
const std::string kEmpty = "Content-Type: text/plain\n\n";
const std::string kMessage = "Content-Type: message/rfc822\n\nSubject: a\n\nbuy\n";
const std::string kHeaders = "Content-Type: text/rfc822-headers\n\nSubject: a\n";
const std::string kStatus = "Content-Type: message/delivery-status\n\nStatus: 5.0.0\n";

std::string multipart(const std::string& subtype, std::initializer_list<std::string> parts,
                      const std::string& boundary = "x") {
  std::string out = "Content-Type: multipart/" + subtype + "; boundary=" + boundary + "\n\n";
  for (const std::string& part : parts) out += "--" + boundary + "\n" + part;
  return out + "--" + boundary + "--\n";
}

TEST(OtherMessages, AreAttachedOrReturned) {
  EXPECT_THAT(others_of(multipart("mixed", {kSeeBelow, kMessage})), ElementsAre("2", "2.1"));
  EXPECT_THAT(others_of(multipart("report", {kSeeBelow, kStatus, kMessage})),
              ElementsAre("2", "3", "3.1"));
  EXPECT_THAT(others_of(multipart("report", {kSeeBelow, kStatus, kHeaders})),
              ElementsAre("2", "3"));
  EXPECT_THAT(
      others_of(multipart("mixed", {kSeeBelow, multipart("digest", {kMessage, kMessage}, "y")})),
      ::testing::Contains("2.1"));
  EXPECT_THAT(others_of(multipart("mixed", {kSeeBelow, kSeeBelow})), IsEmpty());
}

TEST(OtherMessages, AreTheBodyIfNothingIsBesideThem) {
  EXPECT_THAT(others_of(kMessage), IsEmpty());
  EXPECT_THAT(others_of(multipart("mixed", {kMessage})), IsEmpty());
  EXPECT_THAT(others_of(multipart("digest", {kMessage, kMessage})), IsEmpty());
  EXPECT_THAT(others_of(multipart("mixed", {multipart("digest", {kMessage}, "y")})), IsEmpty());
  EXPECT_THAT(others_of(multipart("mixed", {kEmpty, kMessage})), ElementsAre("2", "2.1"))
      << "people forward without a word";
}

TEST(OtherMessages, GiveTheirPicturesToAnAnswer) {
  const std::string html = "Content-Type: text/html\n\n<blockquote>buy</blockquote>\n";
  const std::string picture = "Content-Type: image/png\nContent-ID: <a>\n\nx\n";
  const std::string file = "Content-Type: image/png\n\ny\n";
  const Mail mail =
      scan_all(multipart("mixed", {multipart("related", {html, picture, file}, "y"), picture}));
  std::vector<bool> quoting(mail.parts.size());
  EXPECT_THAT(paths(mail, parts_of_quotes(mail, quoting)), IsEmpty());
  for (std::size_t i = 0; i < quoting.size(); ++i) quoting[i] = mail.parts[i].path == "1.1";
  EXPECT_THAT(paths(mail, parts_of_quotes(mail, quoting)), ElementsAre("1.2"));
}

}  // namespace
}  // namespace shingled::mime
