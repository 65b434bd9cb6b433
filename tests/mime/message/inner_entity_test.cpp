// Opaque-signed parts in the tree of a message.
#include "mime/message/inner_entity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "tests/mime/cms/cms_builder.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using shingled::testing::Lengths;
using shingled::testing::signed_data;

constexpr std::string_view kType = "Content-Type: application/pkcs7-mime; smime-type=signed-data\n";
constexpr std::string_view kText = "Content-Type: text/plain\r\n\r\nSigned words\r\n";

std::string message(std::string_view content, std::string_view fields = kType) {
  return "Subject: x\n" + std::string(fields) + "Content-Transfer-Encoding: binary\n\n" +
         signed_data(content);
}
std::string signed_entity(std::string_view content) {
  return std::string(kType) + "\n" + signed_data(content, Lengths::kIndefinite);
}

std::string words_of(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += "word" + std::string(1, static_cast<char>('a' + i % 26)) +
           std::string(1, static_cast<char>('a' + i / 26)) + " ";
  }
  return out + "\r\n";
}

TEST(SignedPart, IsOpenedWhereMailProgramsDo) {
  struct Case {
    std::string why, fields;
    bool opened, foreign;
  };
  const std::vector<Case> cases = {
      {"as RFC 8551 says", std::string(kType), true, false},
      {"the old type", "Content-Type: application/x-pkcs7-mime; name=smime.p7m\n", true, false},
      {"a wrong label", "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n", true,
       false},
      {"capitals", "Content-Type: APPLICATION/PKCS7-MIME\n", true, false},
      {"by its name alone, which rspamd does not open",
       "Content-Type: application/octet-stream; name=\"Smime.P7M\"\n", true, true},
      {"the same, in the disposition",
       "Content-Type: application/octet-stream\nContent-Disposition: attachment; "
       "filename=smime.p7m\n",
       true, true},
      {"a file of another name", "Content-Type: application/octet-stream; name=a.bin\n", false,
       false},
      {"a signature apart from the text",
       "Content-Type: application/pkcs7-signature; name=smime.p7s\n", false, false},
  };
  for (const Case& c : cases) {
    const std::string bytes = message(kText, c.fields);
    const Mail mail = scan_all(bytes);
    ASSERT_EQ(mail.parts.size(), c.opened ? 2U : 1U) << c.why;
    EXPECT_EQ(mail.parts[0].holds_signed, c.opened) << c.why;
    if (!c.opened) continue;
    EXPECT_EQ(mail.parts[1].body, "Signed words\r\n") << c.why;
    EXPECT_EQ(mail.parts[1].parent, 0U) << c.why;
    EXPECT_EQ(mail.parts[1].foreign_to_rspamd, c.foreign) << c.why;
    EXPECT_TRUE(mail.defects.empty()) << c.why;
  }
}

TEST(SignedPart, NestsLikeAnyOther) {
  struct Case {
    std::string why, content;
    std::vector<std::string> types;
    std::vector<bool> foreign;
  };
  const std::string multipart =
      "Content-Type: multipart/alternative; boundary=i\r\n\r\n--i\r\n\r\none\r\n--i\r\n"
      "Content-Type: text/html\r\n\r\ntwo\r\n--i--\r\n";
  const std::vector<Case> cases = {
      {"signed twice",
       signed_entity(signed_entity(kText)),
       {"pkcs7-mime", "pkcs7-mime", "pkcs7-mime", "plain"},
       {false, false, false, false}},
      {"a multipart, in which rspamd finds no delimiters",
       multipart,
       {"pkcs7-mime", "alternative", "plain", "html"},
       {false, false, true, true}},
      {"a message",
       "Content-Type: message/rfc822\r\n\r\nSubject: y\r\n\r\nwords\r\n",
       {"pkcs7-mime", "rfc822", "plain"},
       {false, false, false}},
      {"a message that is a multipart, whose delimiters rspamd looks for",
       "Content-Type: message/rfc822\r\n\r\nSubject: y\r\n" + multipart,
       {"pkcs7-mime", "rfc822", "alternative", "plain", "html"},
       {false, false, false, false, false}},
      {"no header: all of it is text", "just words\r\n", {"pkcs7-mime", "plain"}, {false, false}},
  };
  for (const Case& c : cases) {
    const std::string bytes = message(c.content);
    const Mail mail = scan_all(bytes);
    ASSERT_EQ(mail.parts.size(), c.types.size()) << c.why;
    for (std::size_t i = 0; i < c.types.size(); ++i) {
      EXPECT_EQ(mail.parts[i].type.subtype, c.types[i]) << c.why;
      EXPECT_EQ(mail.parts[i].foreign_to_rspamd, c.foreign[i]) << c.why << ' ' << i;
    }
  }
}

TEST(SignedPart, HasALimitForEverything) {
  struct Case {
    std::string why, content, defect;
    MimeOptions options;
    bool incomplete;
  };
  MimeOptions shallow;
  shallow.depth_max = 2;
  MimeOptions small;
  small.part_bytes_max = 64;
  std::string deep(kText);
  for (int i = 0; i < 4; ++i) deep = signed_entity(deep);
  const std::vector<Case> cases = {
      {"depth", deep, "depth limit reached", shallow, true},
      {"bytes of the part", words_of(40), "part size limit reached", small, true},
  };
  for (const Case& c : cases) {
    const std::string bytes = message(c.content);
    const Mail mail = scan_all(bytes, c.options);
    EXPECT_THAT(mail.defects, ::testing::Contains(c.defect)) << c.why;
    EXPECT_EQ(mail.incomplete, c.incomplete) << c.why;
  }
  const std::string bytes = message(kText);
  const std::string cut = bytes.substr(0, bytes.size() - 3);
  EXPECT_THAT(scan_all(cut).defects, ::testing::ElementsAre("broken signed part"));
}

TEST(SignedPart, KeepsRoomForWhatIsDecodedInIt) {
  // Base64 in a signature in base64: together more than the message.
  const auto base64_of_words = [](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += "d29yZHMgd29yZHMgd29yZHMgd29yZHMgd29yZHMg\r\n";
    return out;
  };
  const std::string inner =
      "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
      base64_of_words(2000);
  const std::string bytes = message(inner);
  const Mail mail = scan_all(bytes);
  ASSERT_EQ(mail.parts.size(), 2U);
  EXPECT_EQ(mail.parts[1].body.size(), 2000U * 30);
  EXPECT_FALSE(mail.incomplete);
}

std::vector<std::string> kinds_of(const std::string& bytes) {
  HashOptions options;
  options.min_length = 10;
  std::vector<std::string> out;
  for (const PartHash& hash : hash_message(analyze(bytes, {}), HashRule(options))) {
    out.emplace_back(to_string(hash.kind));
  }
  return out;
}

TEST(SignedPart, HasTheHashesOfRspamd) {
  const std::string text = words_of(60);
  const std::string plain = "Content-Type: text/plain\r\n\r\n" + text;
  EXPECT_THAT(kinds_of(message(plain)), ::testing::Contains("text"));
  EXPECT_THAT(kinds_of(message(plain, "Content-Type: a/b; name=smime.p7m\n")),
              ::testing::Not(::testing::Contains("text")))
      << "rspamd does not open it";
}

TEST(SignedPart, IsTheBodyOfItsMessage) {
  const std::string bytes = message(kText);
  EXPECT_THAT(analyze(bytes, {}).parts().body, ::testing::ElementsAre(1U));
}

}  // namespace
}  // namespace shingled::mime
