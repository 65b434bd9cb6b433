#include "mime/pieces/plain_signs.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "mime/pieces/phone_numbers.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, text;
};

/// All of them are +1 888 555 0143 to whoever reads them.
constexpr Case kDisguises[] = {
    {"as people type it", "Call +1 888-555-0143 now"},
    {"zero-width spaces", "+1 8\u200B88-5\u200B55-01\u200B43"},
    {"zero-width joiners", "+1 888\u200D-555\u200C-0143"},
    {"soft hyphens", "+1 8\u00AD88-555-01\u00AD43"},
    {"marks of direction", "\u202A+1 888-\u200E555-0143\u202C"},
    {"isolated", "\u2066+1 888-555-0143\u2069"},
    {"a word joiner", "+1 888\u2060-555-0143"},
    {"a byte order mark", "+1 888-555\uFEFF-0143"},
    {"wide digits", "+\uFF11 \uFF18\uFF18\uFF18-555-0143"},
    {"wide digits and signs", "\uFF0B\uFF11 \uFF08\uFF18\uFF18\uFF18\uFF09 555\uFF0D0143"},
    {"an en dash", "+1 888\u2013555\u20130143"},
    {"an em dash", "+1 888\u2014555\u20140143"},
    {"a hyphen of Unicode", "+1 888\u2010555\u20100143"},
    {"a minus", "+1 888\u2212555\u22120143"},
    {"narrow spaces", "+1\u202F888\u2009555\u20090143"},
    {"hard spaces", "+1\u00A0888\u00A0555\u00A00143"},
    {"bold digits of mathematics", "+1 \U0001D7F4\U0001D7F4\U0001D7F4-555-0143"},
    {"digits in keys", "+1 8\uFE0F\u20E38\uFE0F\u20E38\uFE0F\u20E3-555-0143"},
    {"Arabic digits", "+\u0661 \u0668\u0668\u0668-555-0143"},
    {"dots in the middle", "+1 888\u00B7555\u00B70143"},
    {"variation selectors", "+1 888\uFE00-555-0143"},
};

TEST(PlainSigns, ShowTheNumberBehindADisguise) {
  for (const Case& c : kDisguises) {
    std::string storage;
    const auto phones = find_phones(with_plain_signs(c.text, storage), 10);
    ASSERT_EQ(phones.size(), 1U) << c.why;
    EXPECT_EQ(phones[0], "18885550143") << c.why;
  }
}

TEST(PlainSigns, LeaveTextWithoutACopy) {
  for (const std::string_view text :
       {"", "plain ASCII", "Grüße aus Köln", "Привет", "您好", "a \xff byte that is not UTF-8"}) {
    std::string storage;
    const std::string_view same = with_plain_signs(text, storage);
    EXPECT_EQ(same.data(), text.data());
    EXPECT_EQ(same, text);
  }
}

TEST(PlainSigns, ChangeNothingTwice) {
  for (const Case& c : kDisguises) {
    std::string first;
    std::string second;
    const std::string_view once = with_plain_signs(c.text, first);
    EXPECT_EQ(with_plain_signs(once, second), once) << c.why;
  }
}

TEST(PlainSigns, KeepWhatStandsBetween) {
  std::string storage;
  EXPECT_EQ(with_plain_signs("a\u200Bb \xff\uFF21\u00AD", storage),
            "ab \xff"
            "A");
}

}  // namespace
}  // namespace shingled::mime
