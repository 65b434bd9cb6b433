#include "mime/html/entities.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, raw, text;
};

constexpr Case kCases[] = {
    {"nothing to decode", "https://example.org/a", "https://example.org/a"},
    {"a name", "a?x=1&amp;y=2", "a?x=1&y=2"},
    {"numbers without semicolons", "&#104&#116&#116&#112:&#47&#47a", "http://a"},
    {"and with zeros in front", "&#0000104&#0000116", "ht"},
    {"hexadecimal", "&#x2F&#X2f;", "//"},
    {"a number and a letter", "&#47www", "/www"},
    {"an old name without a semicolon", "a&amp", "a&"},
    {"but not before a letter: it is a parameter", "a?x&copy2=1&lang=de", "a?x&copy2=1&lang=de"},
    {"nor before an equals sign", "a?x&lt=1", "a?x&lt=1"},
    {"it may stand before other signs", "a&amp/b&quot", "a&/b\""},
    {"a new name that begins with an old one is no reference", "&ampx &notit", "&ampx &notit"},
    {"a new name needs one", "&colon;&colon", ":&colon"},
    {"a name that begins another one", "&notin;&not;", "\u2209\u00AC"},
    {"an unknown name stays as it is", "a&unknown;b", "a&unknown;b"},
    {"an ampersand alone", "a&b& c&", "a&b& c&"},
    {"a number sign alone", "&#;&#x;&#", "&#;&#x;&#"},
    {"Windows' characters", "&#150;&#x80;", "\u2013\u20AC"},
    {"no character", "&#0;&#xD800;&#99999999;", "\uFFFD\uFFFD\uFFFD"},
    {"a hard space", "&#160;", " "},
    {"nothing", "", ""},
};

TEST(AttributeText, IsWhatABrowserDecodes) {
  for (const Case& c : kCases) EXPECT_EQ(attribute_text(c.raw), c.text) << c.why;
}

}  // namespace
}  // namespace shingled::mime
