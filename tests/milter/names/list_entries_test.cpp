// Covers milter/names/list_entries.cpp, milter/names/list_editor.cpp.
#include "milter/names/list_entries.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "milter/names/list_editor.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::names {
namespace {

using Kind = ListForm::Kind;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr WallTime kNow{std::chrono::seconds(1'795'860'000)};  // 2026-11-28

NamedEntry entry_of(Kind kind, std::string_view text) {
  const auto entry = parse_named_entry(kind, text);
  if (!entry) ADD_FAILURE() << text << ": " << entry.error().message;
  return entry ? *entry : NamedEntry{};
}

class ListEntriesTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return directory_.file("allow.list"); }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path()).rdbuf();
    return out.str();
  }
  AddedEntry add(std::string_view entry, std::string_view reason = "") {
    const auto added =
        add_to_list(path(), Kind::kAllow, entry_of(Kind::kAllow, entry), reason, kNow);
    if (!added) ADD_FAILURE() << added.error().message;
    return added ? *added : AddedEntry{};
  }

  shingled::testing::TemporaryDirectory directory_;
};

TEST_F(ListEntriesTest, AnEntryIsOneLineOfItsList) {
  EXPECT_EQ(entry_of(Kind::kAllow, "  from   News@Shop.Example ").text(), "from news@shop.example");
  EXPECT_EQ(entry_of(Kind::kBlock, "client 192.0.2.7/24").text(), "client 192.0.2.0/24");
  const struct {
    const char* why;
    Kind kind;
    const char* entry;
    const char* says;
  } cases[] = {
      {"nothing", Kind::kAllow, "", "an entry begins with from, "},
      {"no name", Kind::kAllow, "news@shop.example", "an entry begins with"},
      {"what anybody can write", Kind::kAllow, "sender a@shop.example", "an entry begins with"},
      {"a recipient cannot be blocked", Kind::kBlock, "recipient a@b.example", "begins with"},
      {"everybody", Kind::kBlock, "from_domain .com", "from_domain"},
      {"two lines", Kind::kAllow, "from a@b.example\nclient 10.0.0.0/8", "one line"},
      {"a remark hides the rest", Kind::kAllow, "from a@b.example # c", "from"},
  };
  for (const auto& c : cases) {
    const auto entry = parse_named_entry(c.kind, c.entry);
    ASSERT_FALSE(entry) << c.why;
    EXPECT_THAT(entry.error().message, HasSubstr(c.says)) << c.why;
  }
}

TEST_F(ListEntriesTest, AddsOnceAndTakesAwayEachForm) {
  const AddedEntry first = add("from news@shop.example", "asked for");
  EXPECT_TRUE(first.is_new);
  EXPECT_THAT(text(), HasSubstr("\nfrom news@shop.example  # 2026-11-28 asked for\n"));
  EXPECT_THAT(text(), ::testing::StartsWith("# Mail that passes"));
  const AddedEntry again = add("from NEWS@shop.example");
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.line, first.line);
  std::ofstream(path(), std::ios::app) << "from  NEWS@SHOP.example\nclient 192.0.2.1\n";
  const std::vector<NamedEntry> gone = {entry_of(Kind::kAllow, "from news@shop.example")};
  const auto taken = take_from_list(path(), Kind::kAllow, gone);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->lines, 2U);
  EXPECT_EQ(taken->remark, "2026-11-28 asked for");
  EXPECT_THAT(text(), HasSubstr("client 192.0.2.1\n"));
  EXPECT_EQ(take_from_list(path(), Kind::kAllow, gone).error().code, ErrorCode::kNotFound);
}

TEST_F(ListEntriesTest, SeesEntriesAndNotWhatIsWrong) {
  std::vector<std::string> seen;
  each_entry("# head\nfrom a@b.example # why\nfrom_domain\nclient nobody\nclient 10.1.0.0/16\n",
             {Kind::kAllow, {}}, [&](const ListedEntry& one) {
               seen.push_back(std::to_string(one.line) + " " + std::string(one.entry) + " " +
                              std::string(one.remark));
             });
  EXPECT_EQ(seen, (std::vector<std::string>{"2 a@b.example why", "5 10.1.0.0/16 "}));
}

TEST_F(ListEntriesTest, ManyAtOnceLoseNothing) {
  constexpr int kEach = 5;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([this, t] {
        for (int i = 0; i < kEach; ++i)
          static_cast<void>(add("client 10." + std::to_string(t) + ".0." + std::to_string(i)));
      });
    }
  }
  const NameList list(text(), {Kind::kAllow, {}});
  EXPECT_EQ(list.size(), 4U * kEach);
  EXPECT_TRUE(list.problems().empty());
}

TEST_F(ListEntriesTest, NeverFollowsALink) {
  ASSERT_EQ(::symlink("/etc/passwd", path().c_str()), 0);
  const auto added =
      add_to_list(path(), Kind::kAllow, entry_of(Kind::kAllow, "client 10.0.0.1"), "", kNow);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kDenied);
}

}  // namespace
}  // namespace shingled::milter::names
