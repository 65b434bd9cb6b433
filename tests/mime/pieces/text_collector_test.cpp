#include "mime/pieces/text_collector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shingled::mime {
namespace {

constexpr std::string_view kMessage =
    "From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
    "--x\nContent-Type: text/plain\n\nhttp://body.example.org/\n"
    "--x\nContent-Type: text/html\n\n<a href=\"http://foot&#101;r.example.org/a\">x</a>\n--x--\n";

constexpr std::string_view kInvitation =
    "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nDESCRIPTION:see http://one.exam\n"
    " ple.org/\\nor call +1 202 555 0143\nURL:https://two.example.org/\n"
    "ORGANIZER:mailto:Ann@example.net\nX-ALT-DESC:<a href=\"http://three.example.org/\">x</a>\n"
    "END:VCALENDAR\n";

std::string hosts_of(const PieceList& pieces) {
  std::string out = std::to_string(pieces.dropped());
  for (const std::string_view host : pieces.of_type(PieceType::kLinkHost)) {
    out += " " + std::string(host);
  }
  return out;
}

class TextCollectorTest : public ::testing::TestWithParam<bool> {
 protected:
  /// By itself, or while the message is hashed.
  static std::string hosts(std::uint32_t texts_max, Steps steps = UINT64_MAX) {
    const Analysis analysis = analyze(kMessage, {});
    PieceOptions options;
    options.texts_max = texts_max;
    WorkMeter meter(steps);
    TextCollector texts(analysis, options, meter);
    const std::vector<HashRule> rules(1);
    if (GetParam()) {
      hash_message(analysis, rules,
                   [&](std::size_t part, const TextStages& text) { texts.add(part, text); });
    } else {
      texts.add_all();
    }
    return hosts_of(texts.pieces());
  }
};

TEST_P(TextCollectorTest, TakesTheBodyFirst) {
  EXPECT_EQ(hosts(8), "0 body.example.org footer.example.org");
  EXPECT_EQ(hosts(1), "1 body.example.org");
}

TEST_P(TextCollectorTest, EndsWithTheWork) {
  EXPECT_EQ(hosts(8, 1).find("example"), std::string::npos);
  EXPECT_NE(hosts(8, 1).front(), '0');
}

TEST(TextCollector, TakesPhrasesThatNoReaderSees) {
  const Analysis analysis = analyze(
      "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
      "<html><head><title>one silent goose flies over this frozen lake</title></head>"
      "<body>x</body></html>\n",
      {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  EXPECT_EQ(texts.pieces().of_type(PieceType::kHiddenPhrase).size(), 1U);
  EXPECT_TRUE(texts.pieces().of_type(PieceType::kPhrase).empty());
}

INSTANTIATE_TEST_SUITE_P(Both, TextCollectorTest, ::testing::Bool());

TEST(TextCollector, ReadsInvitations) {
  const Analysis analysis = analyze(kInvitation, {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  EXPECT_EQ(hosts_of(texts.pieces()), "0 one.example.org three.example.org two.example.org");
  const auto phones = texts.pieces().of_type(PieceType::kPhone);
  EXPECT_EQ(phones.size(), 1U);
  const auto addresses = texts.pieces().of_type(PieceType::kAddress);
  ASSERT_EQ(addresses.size(), 1U);
  EXPECT_EQ(*addresses.begin(), "ann@example.net");
}

}  // namespace
}  // namespace shingled::mime
