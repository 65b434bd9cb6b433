#include "mime/message/other_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

const std::string kText = "Content-Type: text/plain\n\nsee below\n";
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
  EXPECT_THAT(others_of(multipart("mixed", {kText, kMessage})), ElementsAre("2", "2.1"));
  EXPECT_THAT(others_of(multipart("report", {kText, kStatus, kMessage})),
              ElementsAre("2", "3", "3.1"));
  EXPECT_THAT(others_of(multipart("report", {kText, kStatus, kHeaders})), ElementsAre("2", "3"));
  EXPECT_THAT(
      others_of(multipart("mixed", {kText, multipart("digest", {kMessage, kMessage}, "y")})),
      ::testing::Contains("2.1"));
  EXPECT_THAT(others_of(multipart("mixed", {kText, kText})), IsEmpty());
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
