#include "mime/html/element_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shingled::mime {
namespace {

TEST(ElementTable, KnowsTheNamesOfItsVersion) {
  for (const char* name : {"a", "blockquote", "h1", "xmp", "u", "table", "img"}) {
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      const ElementInfo* found = find_element(name, compat);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(found->name, name);
    }
  }
  for (const char* name : {"article", "wbr", "video"}) {
    EXPECT_EQ(find_element(name, Compat::kRspamd3), nullptr) << name;
    EXPECT_NE(find_element(name, Compat::kRspamd4), nullptr) << name;
  }
  for (const char* name : {"", "A", "blink", "zzz", "h7", "tables", "tabl", "\xc3\xa4", "{"}) {
    EXPECT_EQ(find_element(name, Compat::kRspamd4), nullptr) << name;
  }
}

TEST(ElementTable, GivesEachElementANumberOfItsOwn) {
  std::set<std::size_t> numbers;
  std::size_t found = 0;
  for (char first = 'a'; first <= 'z'; ++first) {
    for (const char* rest :
         {"", "r", "d", "h", "t", "1", "2", "ody", "ead", "able", "ideo", "ode"}) {
      const ElementInfo* element = find_element(first + std::string(rest), Compat::kRspamd4);
      if (element == nullptr) continue;
      ++found;
      numbers.insert(element->number);
      EXPECT_LT(element->number, kElementsMax);
    }
  }
  EXPECT_GE(found, 20U);
  EXPECT_EQ(numbers.size(), found);
}

}  // namespace
}  // namespace shingled::mime
