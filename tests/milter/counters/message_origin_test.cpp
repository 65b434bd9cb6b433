#include "milter/counters/message_origin.h"

#include <gtest/gtest.h>

#include <vector>

namespace shingled::milter::counters {
namespace {

using Fields = std::vector<mime::HeaderField>;

const std::vector<Network>& local() {
  static const std::vector<Network> networks = {*Network::parse("127.0.0.0/8"),
                                                *Network::parse("10.0.0.0/8")};
  return networks;
}

TEST(MessageOrigin, IsThatOfTheFirstStranger) {
  const Fields fields = {
      {"Return-Path", "<ann@example.org>"},
      {"Delivered-To", "bob@example.net"},
      {"X-Original-To", "sales@example.net"},
      {"Received",
       "from filter.example.net (localhost [127.0.0.1])\r\n\tby mx; Fri, 21 Nov 1997 "
       "15:55:06 +0000"},
      {"Received",
       "from helo.example.org (mail.example.org [IPv6:2001:db8::1])\r\n\t(Authenticated "
       "sender: joe) by mx.example.net with ESMTP for <x@y>; Thu, 1 Jan 1970 00:00 +0000"},
      {"Received", "from evil (evil [192.0.2.66]) by relay; Thu, 1 Jan 1970 00:00 +0000"},
  };
  const MessageOrigin origin = origin_of(fields, local());
  EXPECT_EQ(origin.envelope.sender, "<ann@example.org>");
  EXPECT_EQ(origin.envelope.recipients, std::vector<std::string>{"sales@example.net"});
  EXPECT_EQ(origin.envelope.client, IpAddress::parse("2001:db8::1"));
  EXPECT_EQ(origin.envelope.helo, "helo.example.org");
  EXPECT_EQ(origin.envelope.client_name, "mail.example.org");
  EXPECT_EQ(origin.envelope.user, "joe");
  ASSERT_TRUE(origin.time.has_value());
  EXPECT_EQ(origin.time->time_since_epoch().count(), 880127706);
}

// The sender wrote what is below: a report would count for the recipient that he names.
TEST(MessageOrigin, BelievesNoRecipientBelowAStranger) {
  Fields fields = {
      {"Received", "from helo (mail.example.org [192.0.2.1]) by mx for <bob@example.net>; x"},
      {"X-Original-To", "victim@example.net"},
      {"Delivered-To", "victim@example.net"},
      {"Envelope-To", "victim@example.net"},
  };
  EXPECT_EQ(origin_of(fields, local()).envelope.recipients,
            std::vector<std::string>{"bob@example.net"});
  fields.insert(fields.begin(), {"Delivered-To", "ann@example.net"});
  EXPECT_EQ(origin_of(fields, local()).envelope.recipients,
            std::vector<std::string>{"ann@example.net"});
}

struct ReceivedCase {
  const char* why;
  const char* received;
  const char* client;  ///< "" = none
  const char* name;
  const char* user;
};

TEST(MessageOrigin, TakesTheAddressThatTheServerWrote) {
  const std::vector<ReceivedCase> cases = {
      {"an address as HELO", "from [9.9.9.9] (unknown [203.0.113.7]) by mx; x", "203.0.113.7", "",
       ""},
      {"a local address as HELO", "from [127.0.0.1] (unknown [203.0.113.7]) by mx; x",
       "203.0.113.7", "", ""},
      {"a HELO with the server's words",
       "from a (b [9.9.9.9]) (Authenticated sender: eve) by mx with LMTP for <x> "
       "(host.example.org [203.0.113.7]) by mx with ESMTP for <bob@example.net>; x",
       "203.0.113.7", "host.example.org", ""},
      {"of Postfix with TLS",
       "from h (m.example.org [203.0.113.7]) (using TLSv1.3 with cipher X (256/256 bits)) (No "
       "client certificate requested) (Authenticated sender: joe) by mx (Postfix) with ESMTPSA id "
       "1 for <b@y>; x",
       "203.0.113.7", "m.example.org", "joe"},
      {"of Sendmail",
       "from h (m.example.org [203.0.113.7] (may be forged)) by mx (8.17.1) with ESMTP; x",
       "203.0.113.7", "m.example.org", ""},
      {"of Exim", "from m.example.org ([203.0.113.7] helo=[9.9.9.9]) by mx with esmtp (Exim 4); x",
       "203.0.113.7", "", ""},
      {"no address", "from h by mx with SMTP; x", "", "", ""},
  };
  for (const ReceivedCase& one : cases) {
    const Fields fields = {
        {"Received", "from mx (mx [10.1.2.3]) by imap with LMTP; x"},
        {"Received", "from mx by imap with LMTP id 1; x"},
        {"Received", "by mx (Postfix, from userid 33); x"},
        {"Received", one.received},
        {"Received", "from e (e [192.0.2.66]) (Authenticated sender: v) by x; x"}};
    const Envelope found = origin_of(fields, local()).envelope;
    EXPECT_EQ(found.client, IpAddress::parse(one.client)) << one.why;
    EXPECT_EQ(found.client_name, one.name) << one.why;
    EXPECT_EQ(found.user, one.user) << one.why;
  }
}

TEST(MessageOrigin, FallsBackToDateAndFor) {
  const Fields fields = {
      {"Received", "from h (unknown [192.0.2.1]) by mx for <bob@example.net>; nonsense"},
      {"Date", "Fri, 21 Nov 1997 15:55:06 +0000"}};
  const MessageOrigin origin = origin_of(fields, local());
  EXPECT_EQ(origin.envelope.recipients, std::vector<std::string>{"bob@example.net"});
  EXPECT_EQ(origin.envelope.client_name, "");
  EXPECT_EQ(origin.time->time_since_epoch().count(), 880127706);
}

TEST(MessageOrigin, OfNothingIsEmpty) {
  for (const Fields& fields :
       {Fields{}, Fields{{"Received", ""}}, Fields{{"Received", "from "}},
        Fields{{"Received", "from a ([1.2.3"}}, Fields{{"Received", "from ] [ by ;"}}}) {
    const MessageOrigin origin = origin_of(fields, local());
    EXPECT_FALSE(origin.time);
    EXPECT_FALSE(origin.envelope.client);
    EXPECT_EQ(origin.envelope.sender, "");
  }
}

TEST(MailDate, ReadsCommonAndObsoleteForms) {
  struct Row {
    const char* why;
    const char* text;
    std::int64_t seconds;
  };
  for (const Row& row : {
           Row{"as most programs write it", "Fri, 21 Nov 1997 09:55:06 -0600", 880127706},
           Row{"RFC 5322 A.5, with comments", "Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)",
               -27723480},
           Row{"no day of the week, no seconds", "21 Nov 1997 15:55 +0000", 880127700},
           Row{"a year of two digits and a zone by name", "21 Nov 97 09:55:06 GMT", 880106106},
           Row{"a zone of America", "Fri, 21 Nov 1997 10:55:06 EST", 880127706},
           Row{"an unknown zone is UTC", "Fri, 21 Nov 1997 15:55:06 XYZ", 880127706},
           Row{"a leap second", "Sat, 31 Dec 2016 23:59:60 +0000", 1483228800},
           Row{"lower case, a full name", "21 november 1997 15:55:06 +0000", 880127706},
       }) {
    const auto time = parse_mail_date(row.text);
    ASSERT_TRUE(time.has_value()) << row.why;
    EXPECT_EQ(time->time_since_epoch().count(), row.seconds) << row.why;
  }
}

TEST(MailDate, RefusesOtherText) {
  for (const char* text :
       {"", "Fri,", "yesterday", "32 Nov 1997 09:55 +0000", "30 Feb 1997 09:55 +0000",
        "21 Foo 1997 09:55 +0000", "21 Nov 1997 24:00 +0000", "21 Nov 1997 9 +0000",
        "21 Nov 1997 1:2:3:4 +0000", "21 Nov 7 09:55 +0000", "1997-11-21T09:55:06Z", "((((", "+"}) {
    EXPECT_FALSE(parse_mail_date(text)) << text;
  }
}

constexpr CounterKeyBytes kSite{1, 2, 3};

TEST(MessageId, IsTheFirstThatIsNotBlank) {
  const std::vector<mime::HeaderField> fields = {{.name = "Subject", .value = "<0@b>"},
                                                 {.name = "Message-ID", .value = " \t"},
                                                 {.name = "message-id", .value = " <1@b>\r\n"},
                                                 {.name = "Message-ID", .value = "<2@b>"}};
  EXPECT_EQ(message_id_of(fields), "<1@b>");
  EXPECT_EQ(message_id_of({}), "");
}

TEST(MessageId, HasAKeyedName) {
  const std::uint64_t name = history_id(kSite, "<1@example.org>");
  EXPECT_EQ(history_id(kSite, " <1@example.org>\t"), name);
  EXPECT_NE(history_id(kSite, "<1@Example.org>"), name);
  EXPECT_NE(history_id(CounterKeyBytes{1}, "<1@example.org>"), name);
  EXPECT_EQ(history_id(kSite, " \t"), 0U);
}

}  // namespace
}  // namespace shingled::milter::counters
