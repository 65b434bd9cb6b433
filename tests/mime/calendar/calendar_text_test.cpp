// Covers mime/calendar/calendar_text.cpp, too.
#include "mime/calendar/calendar_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {
namespace {

CalendarText read_all(std::string_view calendar) {
  WorkMeter meter(UINT64_MAX);
  return read_calendar(calendar, meter);
}

TEST(CalendarText, ShowsWhatPeopleSee) {
  struct Case {
    std::string calendar, text;
    std::vector<std::string> links;
    std::string why;
  };
  const std::vector<Case> cases = {
      {"SUMMARY:Prize\r\nLOCATION:Hall\r\n", "Prize\nHall\n", {}, "a line break after each"},
      {"summary;language=en:Prize\n", "Prize\n", {}, "lower case, LF, a parameter"},
      {"SUMMARY:Prize\rLOCATION:Hall\r", "Prize\nHall\n", {}, "CR alone"},
      {"DESCRIPTION:go to exam\r\n ple.org no\r\n\tw\r\n", "go to example.org now\n", {}, "folded"},
      {R"(DESCRIPTION:one\ntwo\Nthree\, four\; five\\n)"
       "\r\n",
       "one\ntwo\nthree, four; five\\n\n",
       {},
       "escaped"},
      {"DESCRIPTION:C:\\temp\\x and 7:00\r\n", "C:\\temp\\x and 7:00\n", {}, "not escaped, colons"},
      {"DESCRIPTION;X=\"a:b;c\":text\r\n", "text\n", {}, "a colon in quotes"},
      {"ORGANIZER;CN=\"Doe:mailto:a@example.org\r\n",
       "\"Doe\n",
       {"mailto:a@example.org"},
       "a quote left open"},
      {"ORGANIZER;CN=\"Doe, Ann\":mailto:a@example.org\r\n",
       "Doe, Ann\n",
       {"mailto:a@example.org"},
       "the organizer's name is shown"},
      {"ATTENDEE;CN=Bob:MAILTO:b@example.org\r\n",
       "",
       {"MAILTO:b@example.org"},
       "the names of guests differ in each copy"},
      {"URL:http://example.org/\r\nATTACH;FMTTYPE=a/b:http://example.org/f\r\n",
       "",
       {"http://example.org/", "http://example.org/f"},
       "links"},
      {"URL:see http://example.org/ now\r\n",
       "see http://example.org/ now\n",
       {"see http://example.org/ now"},
       "a sentence in the place of a link"},
      {"ATTACH;ENCODING=BASE64;VALUE=BINARY:SGVsbG8=\r\n", "", {}, "bytes are no link"},
      {"X-GOOGLE-CONFERENCE:https://example.org/abc\r\nX-NOTE:secret\r\n",
       "",
       {"https://example.org/abc"},
       "of unknown properties only links"},
      {"DESCRIPTION;ALTREP=\"http://example.org/d.html\":text\r\n",
       "text\n",
       {"http://example.org/d.html"},
       "another form of the text"},
      {"UID:1@example.net\r\nTZURL:http://example.net/tz\r\nPRODID:-//x\r\n",
       "",
       {},
       "what only programs read"},
      {"DESCRIPTION;ENCODING=QUOTED-PRINTABLE:caf=C3=A9=0D=0Aopen=\r\n here=\r\nnow\r\n",
       "caf\u00e9\r\nopenherenow\n",
       {},
       "vCalendar 1.0"},
      {"DESCRIPTION;QUOTED-PRINTABLE;CHARSET=iso-8859-1:caf=E9\r\n",
       "caf\u00e9\n",
       {},
       "without the parameter's name, in its own charset"},
      {"SUMMARY;ENCODING=BASE64:SGVsbG8=\r\n", "Hello\n", {}, "base64"},
      {"item1.SUMMARY:Prize\r\n", "Prize\n", {}, "a group, as in cards"},
      {"FN:Ann B\r\nTEL;TYPE=work:+1 202 555 0143\r\nNOTE:see example.org\r\nN:B;Ann\r\n",
       "Ann B\n+1 202 555 0143\nsee example.org\n",
       {},
       "a contact"},
      {"SUMMARY:  \r\nLOCATION:\r\n", "", {}, "nothing in it"},
      {"no colon at all\r\n:\r\n;\r\n", "", {}, "not a property"},
      {"", "", {}, "empty"},
  };
  for (const Case& c : cases) {
    const CalendarText read = read_all(c.calendar);
    EXPECT_EQ(read.text, c.text) << c.why;
    EXPECT_EQ(read.links, c.links) << c.why;
  }
}

TEST(CalendarText, LosesNothingThatIsLongerInUtf8) {
  std::string value = "SUMMARY;ENCODING=BASE64;CHARSET=windows-1251:";
  for (int i = 0; i < 10'000; ++i) value += "7+/v";  // three Cyrillic letters
  EXPECT_EQ(read_all(value + "\r\n").text.size(), 60'001U);
}

TEST(CalendarText, KeepsHtmlApart) {
  const CalendarText read = read_all(
      "X-ALT-DESC;FMTTYPE=text/html:<a href=\"http://example.org/\">x\\, y</a>\r\n"
      "X-ALT-DESC;FMTTYPE=text/plain:words\r\n");
  EXPECT_EQ(read.html, "<a href=\"http://example.org/\">x, y</a>\n");
  EXPECT_EQ(read.text, "words\n");
}

TEST(CalendarText, IsBounded) {
  std::string many;
  for (std::size_t i = 0; i < kCalendarLinksMax + 5; ++i) many += "URL:http://example.org/\n";
  const CalendarText read = read_all(many);
  EXPECT_EQ(read.links.size(), kCalendarLinksMax);
  EXPECT_TRUE(read.truncated);
  WorkMeter poor(10);
  EXPECT_TRUE(read_calendar(many, poor).links.empty());
  EXPECT_TRUE(poor.refused());
}

}  // namespace
}  // namespace shingled::mime
