#include "mime/message/part_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

ContentKind kind_of(std::string_view header, std::string_view body) {
  const std::string message = std::string(header) + "\n" + std::string(body);
  const Mail mail = scan_all(message);
  return mail.parts.size() == 1 ? content_of(mail, mail.parts[0]).kind : ContentKind::kContainer;
}

struct Case {
  std::string_view why, header;
  bool attachment;
};

// What /usr/bin/rspamd 3.4 says of each.
TEST(PartKind, IsAnAttachmentByItsDispositionAndItsNames) {
  constexpr Case kCases[] = {
      {"nothing", "Content-Type: a/b\n", false},
      {"a name", "Content-Type: a/b; name=x\n", true},
      {"a name and a Content-ID", "Content-Type: a/b; name=x\nContent-ID: <x>\n", true},
      {"an empty name", "Content-Type: a/b; name=\"\"\nContent-ID: <x>\n", true},
      {"a name without a value", "Content-Type: a/b; name= \nContent-ID: <x>\n", false},
      {"the wrong parameter", "Content-Type: a/b; filename=x\nContent-ID: <x>\n", true},
      {"an inline name",
       "Content-Type: a/b; name=x\nContent-Disposition: inline\nContent-ID: <x>\n", true},
      {"an inline file", "Content-Type: a/b\nContent-Disposition: inline; filename=y\n", true},
      {"that HTML may refer to",
       "Content-Type: a/b\nContent-Disposition: inline; filename=y\nContent-ID: <x>\n", false},
      {"whatever its type names",
       "Content-Type: a/b; name=x\nContent-Disposition: inline; filename=y\nContent-ID: <x>\n",
       false},
      {"inline", "Content-Type: a/b\nContent-Disposition: inline\n", false},
      {"inline with an empty file name",
       "Content-Type: a/b\nContent-Disposition: inline; filename=\"\"\n", false},
      {"an attachment", "Content-Type: a/b\nContent-Disposition: attachment\nContent-ID: <x>\n",
       true},
      {"an unknown word", "Content-Type: a/b\nContent-Disposition: strange\n", false},
      {"with a file name",
       "Content-Type: a/b\nContent-Disposition: strange; filename=y\nContent-ID: <x>\n", true},
      {"with a name", "Content-Type: a/b; name=x\nContent-Disposition: strange\nContent-ID: <x>\n",
       true},
      {"a file name without a word", "Content-Type: a/b\nContent-Disposition: ;filename=y\n",
       false},
  };
  for (const Case& c : kCases) {
    const ContentKind kind = kind_of(c.header, "\x01\x02\x03");
    EXPECT_EQ(kind, c.attachment ? ContentKind::kAttachment : ContentKind::kOther) << c.why;
  }
}

struct ContentCase {
  std::string_view why, body;
  ContentKind kind;
};

// Likewise: what a part is declared to be does not matter for these.
TEST(PartKind, IsWhatItsBytesAreBeforeItIsText) {
  constexpr ContentCase kCases[] = {
      {"text", "some words", ContentKind::kText},
      {"a zip file", "PK\3\4xPK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, ContentKind::kArchive},
      {"one that is cut off", "PK\3\4 and more", ContentKind::kText},
      {"a gzip file", "\x1f\x8b\x08\x08\0\0\0\0\0\0name\0data"sv, ContentKind::kArchive},
      {"of no known method", "\x1f\x8b\x09\x08\0\0\0\0\0\0name\0data"sv, ContentKind::kText},
      {"GIF", "GIF89a is a format of pictures", ContentKind::kImage},
      {"of any year", "GIF80a is a format of pictures", ContentKind::kImage},
      {"too short a GIF", "GIF89a is", ContentKind::kText},
      {"no GIF", "GIF8 is a format of pictures", ContentKind::kText},
      {"PNG", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1"sv, ContentKind::kImage},
      {"PNG without its header", "\x89PNG\r\n\x1a\n\0\0\0\rIDAT\0\0\0\1\0\0\0\1"sv,
       ContentKind::kText},
      {"JPEG", "\xff\xd8\xff\xe0\0\2\xff\xc0\0\x11\x08\0\1\0\1"sv, ContentKind::kImage},
      {"neither JFIF nor Exif", "\xff\xd8\xff\xdb\0\2\xff\xc0\0\x11\x08\0\1\0\1"sv,
       ContentKind::kText},
      {"JPEG without a frame", "\xff\xd8\xff\xe0\0\2\xff\xc4\0\x11\x08\0\1\0\1"sv,
       ContentKind::kText},
      {"no bitmap", "BMW cars are fast and nice to drive", ContentKind::kText},
      {"a short text", "BM", ContentKind::kText},
      {"a calendar", "BEGIN:VCALENDAR\nVERSION:2.0\n", ContentKind::kOther},
      {"a card", "BEGIN:VCARD\nVERSION:3.0\n", ContentKind::kOther},
      {"what only mentions one", "See BEGIN:VCARD\n", ContentKind::kText},
      {"PDF", "%PDF-1.4 is a format", ContentKind::kOther},
      {"in the first kilobyte", "I say %PDF-2.0, which is a format", ContentKind::kOther},
      {"of no known version", "%PDF-3.4 is a format", ContentKind::kText},
  };
  for (const ContentCase& c : kCases) {
    EXPECT_EQ(kind_of("Content-Type: text/plain\n", c.body), c.kind) << c.why;
  }
}

TEST(PartKind, IsTextIfItOnlySaysToBeACalendar) {
  for (const std::string_view subtype : {"calendar", "vcard", "x-vcard", "directory", "x-foo"}) {
    const std::string header = "Content-Type: text/" + std::string(subtype) + "\n";
    EXPECT_EQ(kind_of(header, "some words"), ContentKind::kText) << subtype;
    EXPECT_EQ(kind_of(header, "BEGIN:VCALENDAR\n"), ContentKind::kOther) << subtype;
  }
  // With a colon after the first character 3.4 takes it as one.
  EXPECT_EQ(kind_of("Content-Type: text/calendar\n", "some: words"), ContentKind::kOther);
  EXPECT_EQ(kind_of("Content-Type: application/vcard; name=a\n", "some: words"),
            ContentKind::kAttachment);
  EXPECT_EQ(kind_of("Content-Type: text/calendar\n", "<html><body><a href=\"http://example.org\">"),
            ContentKind::kOther);
  EXPECT_EQ(kind_of("Content-Type: text/calendar\n", ": words"), ContentKind::kText);
  EXPECT_EQ(kind_of("Content-Type: text/x-vcalendar\n", "some: words"), ContentKind::kText);
  EXPECT_EQ(kind_of("Content-Type: text/csv\n", "a,b\n1,2\n"), ContentKind::kOther);
}

TEST(PartKind, KnowsCalendarsAndContacts) {
  struct CardCase {
    std::string_view why, header, body;
    CardKind card;
  };
  constexpr CardCase kCases[] = {
      {"its beginning", "Content-Type: a/b; name=x.bin\n", "BEGIN:VCALENDAR\n",
       CardKind::kCalendar},
      {"after a byte order mark and a blank line", "Content-Type: a/b\n",
       "\xef\xbb\xbf\r\nbegin:vcalendar\n", CardKind::kCalendar},
      {"its type", "Content-Type: text/calendar\n", "SUMMARY:x\n", CardKind::kCalendar},
      {"a text", "Content-Type: text/calendar\n", "some words", CardKind::kNone},
      {"a contact", "Content-Type: text/vcard\n", "FN:x\n", CardKind::kContact},
      {"by its bytes", "Content-Type: text/plain\n", "BEGIN:VCARD\n", CardKind::kContact},
      {"a text that mentions one", "Content-Type: text/plain\n", "see BEGIN:VCARD\n",
       CardKind::kNone},
  };
  for (const CardCase& c : kCases) {
    const std::string message = std::string(c.header) + "\n" + std::string(c.body);
    const Mail mail = scan_all(message);
    ASSERT_EQ(mail.parts.size(), 1U) << c.why;
    EXPECT_EQ(content_of(mail, mail.parts[0]).card, c.card) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
