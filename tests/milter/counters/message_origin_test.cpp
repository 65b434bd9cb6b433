#include "milter/counters/message_origin.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace shingled::milter::counters
