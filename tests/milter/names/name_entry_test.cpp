// Covers milter/names/name_entry.cpp.
#include "milter/names/name_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::milter::names {
namespace {

using ::testing::HasSubstr;

struct EntryCase {
  const char* why;
  Name name;
  const char* text;
  const char* expected;  ///< the normal form, or after "!" a part of the error
};

const EntryCase kEntries[] = {
    {"case makes no difference", Name::kFrom, "News@Shop.EXAMPLE", "news@shop.example"},
    {"angle brackets", Name::kFrom, " <a@b.example> ", "a@b.example"},
    {"a tag stays", Name::kFrom, "a+b@c.example", "a+b@c.example"},
    {"an international domain", Name::kFrom,
     "a@B\xC3\xBC"
     "cher.example",
     "a@xn--bcher-kva.example"},
    {"the same in punycode", Name::kFromDomain, "xn--bcher-kva.example", "xn--bcher-kva.example"},
    {"the root's dot", Name::kFromDomain, "shop.example.", "shop.example"},
    {"a local part at any domain", Name::kRecipient, "Abuse@", "abuse@"},
    {"all of a domain", Name::kFrom, "@shop.example", "@shop.example"},
    {"a domain and all below", Name::kFrom, ".shop.example", ".shop.example"},
    {"the bounce", Name::kSender, "<>", "<>"},
    {"a host of our own network", Name::kHelo, "localhost", "localhost"},
    {"a list", Name::kListId, "<news.shop.example", "!is not a domain"},
    {"a domain is no address", Name::kFrom, "shop.example", "!is not an address"},
    {"an address is no domain", Name::kFromDomain, "a@shop.example", "!is an address"},
    {"everybody registers below com", Name::kFromDomain, "com", "!everybody"},
    {"and below .com", Name::kFrom, ".com", "!everybody"},
    {"and below co.uk", Name::kDkimDomain, ".co.uk", "!everybody"},
    {"and @com", Name::kFrom, "@com", "!everybody"},
    {"a star as in a shell", Name::kFromDomain, "*.shop.example", "!did you mean '.shop.example'"},
    {"a star before the sign", Name::kFrom, "*@shop.example", "!did you mean '@shop.example'"},
    {"a blank", Name::kFrom, "a b@shop.example", "!is not an address"},
    {"two dots", Name::kFromDomain, "shop..example", "!is not a domain"},
    {"nothing", Name::kFrom, "  ", "!is empty"},
    {"an address", Name::kClient, "192.0.2.7", "192.0.2.7"},
    {"host bits of a network", Name::kClient, "192.0.2.7/24", "192.0.2.0/24"},
    {"the other family", Name::kClient, "2001:DB8::/32", "2001:db8::/32"},
    {"everybody", Name::kClient, "0.0.0.0/0", "!part of the world"},
    {"half of everybody", Name::kClient, "128.0.0.0/1", "!allowed: /8 or longer"},
    {"everybody of IPv6", Name::kClient, "::/0", "!allowed: /16 or longer"},
    {"a host is no network", Name::kClient, "mx.shop.example", "!is not an address or network"},
    {"too long", Name::kClient, "192.0.2.0/33", "!is not an address or network"},
    {"a text", Name::kSubject, "  Your \t Invoice ", "your invoice"},
};

TEST(NameEntry, IsReadInItsNormalFormOrRefused) {
  for (const EntryCase& c : kEntries) {
    const auto entry = read_name_entry(features::row_of(c.name), c.text);
    const std::string_view expected = c.expected;
    if (expected.starts_with('!')) {
      ASSERT_FALSE(entry.has_value()) << c.why;
      EXPECT_THAT(entry.error().message, HasSubstr(std::string(expected.substr(1)))) << c.why;
      continue;
    }
    ASSERT_TRUE(entry.has_value()) << c.why << ": " << entry.error().message;
    EXPECT_EQ(entry->text, expected) << c.why;
    EXPECT_EQ(read_name_entry(features::row_of(c.name), entry->text)->text, expected) << c.why;
  }
  EXPECT_FALSE(
      read_name_entry(features::row_of(Name::kSubject), std::string(kEntryBytesMax + 1, 'x'))
          .has_value());
}

}  // namespace
}  // namespace shingled::milter::names
