#include "milter/reports/reported_message.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "milter/counters/message_origin.h"

namespace shingled::milter::reports {
namespace {

constexpr CounterKeyBytes kSite{1, 2, 3};

ReportedMessage read(const std::string& bytes) {
  const Settings settings;
  return read_reported(bytes, kSite, taught_rules(settings));
}

TEST(ReportedMessage, HasTheNameOfItsMessageIdAndBody) {
  const ReportedMessage one = read("A: 1\r\nMessage-Id: <a@b> \r\n\r\none\r\ntwo\r\n");
  EXPECT_EQ(read("Message-ID:\nMessage-ID:  <a@b>\n\none\ntwo\n\n").name, one.name)
      << "another header, other line breaks";
  EXPECT_NE(read("Message-ID: <c@b>\n\none\ntwo\n").name, one.name);
  const ReportedMessage other = read("Message-ID: <a@b>\n\nan other text\n");
  EXPECT_NE(other.name, one.name) << "the sender chooses the Message-ID";
  EXPECT_EQ(other.history_id, one.history_id);
  EXPECT_EQ(one.history_id, counters::history_id(kSite, "<a@b>"));
  const ReportedMessage without = read("A: 1\n\none\n");
  EXPECT_EQ(without.history_id, 0U);
  EXPECT_NE(without.name, read("A: 1\n\ntwo\n").name);
  EXPECT_NE(reported_id(kSite, "", "", "one"), reported_id({9}, "", "", "one"));
}

TEST(ReportedMessage, NamesReportersWithoutCase) {
  EXPECT_EQ(reporter_id(kSite, "Ann@Example.org"), reporter_id(kSite, "ann@example.org"));
  EXPECT_NE(reporter_id(kSite, "ann"), reporter_id(kSite, "bob"));
  EXPECT_TRUE(is_reporter("ann"));
  EXPECT_TRUE(is_reporter(std::string(256, 'a')));
  EXPECT_FALSE(is_reporter(std::string(257, 'a')));
  EXPECT_FALSE(is_reporter(""));
  EXPECT_FALSE(is_reporter("a\nb"));
}

TEST(ReportedMessage, TeachesOnlyRulesOfThisDaemon) {
  Settings settings;
  settings.reports.ham_also = "white";
  const auto rules = taught_rules(settings).rules;
  ASSERT_EQ(rules.size(), 1U);
  ASSERT_EQ(rules[0].lists.size(), 2U);
  EXPECT_EQ(rules[0].lists[0].flag, 11U);
  EXPECT_EQ(rules[0].lists[0].per_spam, 1);
  EXPECT_EQ(rules[0].lists[0].per_ham, -1);
  EXPECT_EQ(rules[0].lists[1].flag, 13U);
  EXPECT_EQ(rules[0].lists[1].per_ham, 1);
  settings.rules[0].read_only = true;
  EXPECT_TRUE(taught_rules(settings).rules.empty());
  settings.rules[0].read_only = false;
  settings.storage.enabled = false;
  EXPECT_TRUE(taught_rules(settings).rules.empty());
}

TEST(ReportedMessage, HasPiecesOfItsHeaderAndHashesOfItsText) {
  const Settings settings;
  const auto rules = taught_rules(settings);
  const ReportedMessage message = read_reported(
      "Return-Path: <ann@example.org>\r\n"
      "Delivered-To: bob@example.net\r\n"
      "Received: from h.example.org (h.example.org [198.51.100.7]) by mx; "
      "Fri, 21 Nov 1997 09:55:06 -0600\r\n"
      "From: ann@example.org\r\nSubject: Offer\r\nMessage-ID: <1@example.org>\r\n\r\n"
      "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
      "fountains before everything has gone. Our carpenters build each bench by hand from seasoned "
      "oak, our gardeners test every hose for three summers, and our drivers bring it to your door "
      "within two days, whatever the weather does. Order now and receive a bag of tulip bulbs with "
      "every bench. https://shop.example.org/buy\r\n",
      kSite, rules);
  const auto has = [&](PieceType type, std::string_view text) {
    const auto key = storage::counters::counter_of(kSite, message.direction, type, text);
    return std::ranges::find(message.keys, key, &storage::counters::Pair::key) !=
           message.keys.end();
  };
  EXPECT_TRUE(has(PieceType::kSender, "ann@example.org"));
  EXPECT_TRUE(has(PieceType::kRecipient, "bob@example.net"));
  EXPECT_TRUE(has(PieceType::kLinkDomain, "example.org"));
  EXPECT_FALSE(message.hashes.empty());
  EXPECT_EQ(message.not_taught, "");
  EXPECT_EQ(message.direction, storage::counters::Direction::kIn);
}

TEST(ReportedMessage, TeachesOnlyWhatItSaysItself) {
  const Settings settings;
  const auto rules = taught_rules(settings);
  const std::string offer =
      "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
      "fountains before everything has gone. Our carpenters build each bench by hand from seasoned "
      "oak, our gardeners test every hose for three summers, and our drivers bring it to your door "
      "within two days, whatever the weather does. Order now and receive a bag of tulip bulbs with "
      "every bench. https://shop.example.org/buy\n";
  const auto read = [&](const std::string& message) {
    return read_reported(message, kSite, rules);
  };
  const auto has_link = [](const ReportedMessage& message) {
    return std::ranges::any_of(message.keys, [](const storage::counters::Pair& key) {
      return key.key.type == PieceType::kLinkHost;
    });
  };
  const std::string quote = "> " + offer;
  const ReportedMessage answer = read("In-Reply-To: <a@b>\n\nno\n\nOn 5 May A wrote:\n" + quote);
  EXPECT_TRUE(answer.hashes.empty());
  EXPECT_FALSE(has_link(answer));
  const ReportedMessage dressed = read("Subject: a\n\n" + quote);
  EXPECT_FALSE(dressed.hashes.empty()) << "the quote is the body";
  EXPECT_TRUE(has_link(dressed));
  const ReportedMessage forward = read(
      "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nsee below\n--x\nContent-Type: "
      "message/rfc822\n\nSubject: a\n\n" +
      offer + "--x--\n");
  EXPECT_TRUE(forward.hashes.empty());
  EXPECT_FALSE(has_link(forward));
}

}  // namespace
}  // namespace shingled::milter::reports
