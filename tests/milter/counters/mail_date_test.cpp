#include "milter/counters/mail_date.h"

#include <gtest/gtest.h>

namespace shingled::milter::counters {
namespace {

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

}  // namespace
}  // namespace shingled::milter::counters
