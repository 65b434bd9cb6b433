#include "milter/history/message_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/milter/history/judged.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::history {
namespace {

using storage::sqlite::HistoryReader;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;
using testing::Judged;
using testing::kSite;

using Names = std::vector<std::string>;

class MessageSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = HistoryTable::open(folder_.file("history.db"));
    ASSERT_TRUE(table) << table.error().message;
    std::vector<HistoryRow> rows;
    Judged judged;
    judged.names = HistoryNames::kSubject;
    const auto add = [&](const char* queue_id) {
      judged.queue_id = queue_id;
      rows.push_back(row_of(judged.message(), kSite, static_cast<std::int64_t>(rows.size()) + 1));
    };
    judged.sender = "<ann@example.org>";
    judged.recipients = {"<bob@example.net>", "<joe@example.com>"};
    judged.subject =
        "Gr\xC3\xBC\xC3\x9F"
        "e from Ann";
    judged.kept = Bytes{9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    add("A");
    judged.kept.clear();
    judged.sender = "<joanne@example.org>";
    judged.recipients = {"<bob@example.net>"};
    judged.subject = "Offer";
    judged.verdict.action = rules::Action::kReject;
    rules::Findings findings;
    findings.evidence.emplace_back().symbol = "DENIED";
    static constexpr rules::Source kSource{.key = "fuzzy", .title = "Hashes"};
    findings.source = &kSource;
    judged.facts.findings = {findings};
    add("B");
    judged.names = HistoryNames::kOff;
    judged.sender = "<ann@example.org>";
    judged.verdict.action = rules::Action::kPass;
    judged.facts.findings.clear();
    add("C");
    add("A");
    rows.back().label = static_cast<std::uint8_t>(Label::kHam);
    ASSERT_TRUE((*table)->write(rows, {}));
    HistoryRow broken = rows.back();
    broken.time = 5;
    broken.queue_id = "D";
    broken.details = {1, 2};
    ASSERT_TRUE((*table)->write(std::vector{broken}, {}));
    auto reader = HistoryReader::open(folder_.file("history.db"));
    ASSERT_TRUE(reader) << reader.error().message;
    reader_ = *std::move(reader);
  }
  Names found(const MessageQuery& query, const SearchBounds& bounds = {}) {
    Names out;
    const auto end = find_messages(*reader_, query, bounds, [&](const FoundMessage& message) {
      out.push_back(message_name(message.row));
      return true;
    });
    EXPECT_TRUE(end) << end.error().message;
    if (end) end_ = *end;
    return out;
  }

  shingled::testing::TemporaryDirectory folder_;
  std::unique_ptr<HistoryReader> reader_;
  SearchEnd end_;
};

TEST_F(MessageSearch, FindsByEachOfItsFilters) {
  EXPECT_EQ(found({}), (Names{"A@4", "C@3", "B@2", "A@1"}));
  EXPECT_EQ(end_.broken, 1U);
  EXPECT_FALSE(end_.next);
  EXPECT_EQ(found({.span = {.since = 2, .until = 4}}), (Names{"C@3", "B@2"}));
  EXPECT_EQ(found({.queue_id = "A"}), (Names{"A@4", "A@1"}));
  EXPECT_EQ(found({.sender_id = sender_id(kSite, "ann@example.org")}), (Names{"A@4", "C@3", "A@1"}))
      << "rows without names, too";
  EXPECT_EQ(found({.sender = "ANN"}), (Names{"B@2", "A@1"})) << "a part, whatever its case";
  EXPECT_EQ(found({.recipient = "joe@"}), (Names{"A@1"}));
  EXPECT_EQ(found({.subject = "gr\xC3\xBC\xC3\x9F"}), (Names{"A@1"}));
  EXPECT_EQ(found({.symbol = "DENIED"}), (Names{"B@2"}));
  EXPECT_EQ(found({.action = "reject"}), (Names{"B@2"}));
  EXPECT_EQ(found({.label = "ham"}), (Names{"A@4"}));
  EXPECT_EQ(found({.label = "none"}), (Names{"C@3", "B@2", "A@1"}));
  EXPECT_EQ(found({.digest = {1, 2, 3, 4, 5, 6, 7, 8}}), (Names{"A@1"}));
  EXPECT_EQ(found({.digest = {8, 7, 6, 5, 4, 3, 2, 1}}), Names{});
  EXPECT_EQ(found({.recipient = "joe@", .label = "ham"}), Names{});
}

TEST_F(MessageSearch, GoesOnWhereItEnded) {
  EXPECT_EQ(found({}, {.found_max = 2}), (Names{"A@4", "C@3"}));
  ASSERT_TRUE(end_.next);
  EXPECT_EQ(found({.span = {.until = *end_.next}}, {.found_max = 2}), (Names{"B@2", "A@1"}));
  EXPECT_FALSE(end_.next);
  EXPECT_EQ(found({.symbol = "DENIED"}, {.looked_max = 3}), Names{});
  ASSERT_TRUE(end_.next) << "it has not looked at all";
  EXPECT_EQ(found({.span = {.until = *end_.next}, .symbol = "DENIED"}), (Names{"B@2"}));
}

TEST_F(MessageSearch, FindsASenderByTheWholeAddressOrElseByAPart) {
  const MessageQuery query{.sender_id = sender_id(kSite, "ann@example.org"),
                           .sender = "ANN@example.org"};
  EXPECT_EQ(found(query), (Names{"A@4", "C@3", "A@1"})) << "not joanne@example.org";
  EXPECT_EQ(found({.sender_id = sender_id(kSite, "ann@example"), .sender = "anne@example"}),
            (Names{"B@2"}))
      << "an address that is not written to its end";
  MessageQuery rest = query;
  Names pages;
  for (int page = 0; page < 10; ++page) {
    const Names more = found(rest, {.found_max = 1});
    pages.insert(pages.end(), more.begin(), more.end());
    if (!end_.next) break;
    rest.span.until = *end_.next;
  }
  EXPECT_EQ(pages, found(query)) << "page by page";
  MessageQuery narrow = query;
  narrow.recipient = "joe@";
  EXPECT_EQ(found(narrow), (Names{"A@1"})) << "all parts fit";
  narrow.recipient = "nobody@";
  EXPECT_EQ(found(narrow), Names{});
  MessageQuery refused = query;
  refused.action = "reject";
  refused.sender = "ann";
  EXPECT_EQ(found(refused), Names{}) << "that sender is known, so not what others had refused";
}

TEST_F(MessageSearch, SeveralNamesThatDoNotFitCountAsOneLook) {
  reader_.reset();
  auto table = HistoryTable::open(folder_.file("history.db"));
  ASSERT_TRUE(table);
  Judged judged;
  judged.names = HistoryNames::kSubject;
  judged.subject = "many";
  std::vector<HistoryRow> rows;
  for (std::int64_t i = 0; i < 3 * static_cast<std::int64_t>(kNamesALook); ++i)
    rows.push_back(row_of(judged.message(), kSite, 100 + i));
  ASSERT_TRUE((*table)->write(rows, {}));
  table = Error{ErrorCode::kInternal, "closed"};
  auto reader = HistoryReader::open(folder_.file("history.db"));
  ASSERT_TRUE(reader);
  reader_ = *std::move(reader);
  EXPECT_EQ(found({.subject = "offer"}, {.looked_max = 1}), Names{});
  EXPECT_EQ(end_.next, rows[rows.size() - kNamesALook].time);
  EXPECT_EQ(found({.subject = "offer"}), (Names{"B@2"}));
}

TEST_F(MessageSearch, ANameIsAQueueIdWithOrWithoutATime) {
  const auto named = [&](const char* name) {
    Names out;
    const auto broken = find_named(*reader_, name, [&](const FoundMessage& message) {
      out.push_back(message_name(message.row));
    });
    EXPECT_TRUE(broken);
    return out;
  };
  EXPECT_EQ(named("A"), (Names{"A@4", "A@1"}));
  EXPECT_EQ(named("A@1"), (Names{"A@1"}));
  EXPECT_EQ(named("A@2"), Names{});
  EXPECT_EQ(named("nobody"), Names{});
  EXPECT_EQ(*find_named(*reader_, "D", [](const FoundMessage&) {}), 1U) << "broken";
  EXPECT_EQ(parse_message_name("A@"), (MessageName{"A@", std::nullopt}));
  EXPECT_EQ(parse_message_name("@7"), (MessageName{"@7", std::nullopt}));
  EXPECT_EQ(parse_message_name("A@-7"), (MessageName{"A@-7", std::nullopt}));
}

TEST(DigestPart, HasWholeBytes) {
  EXPECT_EQ(*parse_digest_part("00112233445566FF"),
            (Bytes{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0xFF}));
  for (const std::string& wrong : {std::string("0011"), std::string("00112233445566ff0"),
                                   std::string("0011223344556zff"), std::string(130, '0')})
    EXPECT_EQ(parse_digest_part(wrong).error().code, ErrorCode::kInvalid) << wrong;
}

}  // namespace
}  // namespace shingled::milter::history
