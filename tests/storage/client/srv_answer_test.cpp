// Covers storage/client/name_lookup.cpp.
#include <gmock/gmock.h>

#include <algorithm>

#include "storage/client/name_lookup.h"
#include "tests/support/dns_message.h"

namespace shingled::storage::client {
namespace {

using testing::DnsMessage;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kName = "_fuzzy._tcp.example.org";

DnsMessage answer(std::uint16_t records) {
  DnsMessage message(DnsMessage::kResponse, 1, records);
  message.question(kName);
  return message;
}

TEST(SrvAnswer, ReadsSrvRecordsAndSkipsOthers) {
  DnsMessage message = answer(4);
  message.pointer(12).record(5, 2).pointer(12);  // CNAME
  message.srv(10, 5, 11335, "A.Example.ORG").srv(20, 0, 7, "b.example.org");
  // Compressed, which RFC 2782 forbids and some servers do: "c" and "example.org" of the question.
  message.pointer(12).record(DnsMessage::kSrv, 10).u16(1).u16(2).u16(3).u8(1).u8('c');
  message.pointer(12 + 7 + 5);
  const auto records = parse_srv_answer(message.bytes);
  ASSERT_TRUE(records);
  EXPECT_THAT(*records, ElementsAre(SrvRecord{10, 5, 11335, "a.example.org"},
                                    SrvRecord{20, 0, 7, "b.example.org"},
                                    SrvRecord{1, 2, 3, "c.example.org"}));
}

TEST(SrvAnswer, LeavesOutTargetsThatCannotBeUsed) {
  DnsMessage message = answer(4);
  message.srv(0, 0, 0, "");             // "decidedly not available"
  message.srv(0, 0, 0, "a.example");    // no port
  message.srv(0, 0, 1, "a/b.example");  // not a valid host name
  message.srv(0, 0, 1, "good.example");
  const auto records = parse_srv_answer(message.bytes);
  ASSERT_TRUE(records);
  EXPECT_THAT(*records, ElementsAre(SrvRecord{0, 0, 1, "good.example"}));
  EXPECT_THAT(*parse_srv_answer(answer(0).bytes), IsEmpty());
}

TEST(SrvAnswer, ReturnsAtMostItsBound) {
  DnsMessage message = answer(1000);
  for (int i = 0; i < 1000; ++i) message.srv(0, 0, 1, "a.example");
  EXPECT_EQ(parse_srv_answer(message.bytes)->size(), kSrvRecordsMax);
}

struct BadCase {
  const char* why;
  Bytes message;
};

TEST(SrvAnswer, RefusesMessagesThatAreNotAnswers) {
  DnsMessage to_itself = answer(1);
  to_itself.pointer(to_itself.bytes.size()).record(DnsMessage::kSrv, 0);
  DnsMessage forwards = answer(1);
  forwards.pointer(forwards.bytes.size() + 2).name("a").record(DnsMessage::kSrv, 0);
  DnsMessage in_a_ring(DnsMessage::kResponse, 1, 0);
  in_a_ring.u8(1).u8('a').pointer(12).u16(DnsMessage::kSrv).u16(1);
  DnsMessage reserved(DnsMessage::kResponse, 1, 0);
  reserved.u8(0x40).u8(0).u16(DnsMessage::kSrv).u16(1);
  DnsMessage long_name(DnsMessage::kResponse, 1, 0);
  for (int i = 0; i < 5; ++i) long_name.u8(63).bytes.resize(long_name.bytes.size() + 63, 'a');
  long_name.name("").u16(DnsMessage::kSrv).u16(1);
  DnsMessage short_data = answer(1);
  short_data.pointer(12).record(DnsMessage::kSrv, 7).u16(0).u16(0).u16(1).name("a.b");
  DnsMessage long_data = answer(1);
  long_data.pointer(12).record(DnsMessage::kSrv, 20).u16(0).u16(0).u16(1).name("a.b");
  DnsMessage question(0x0100, 1, 0);
  question.question(kName);
  DnsMessage no_such_name(DnsMessage::kResponse | 3, 1, 0);
  no_such_name.question(kName);
  DnsMessage truncated(DnsMessage::kResponse | 0x0200, 1, 0);
  truncated.question(kName);
  const BadCase cases[] = {
      {"an empty message", {}},
      {"half a header", Bytes(11)},
      {"a question", question.bytes},
      {"a failure", no_such_name.bytes},
      {"cut by the server", truncated.bytes},
      {"fewer records than announced", answer(1).bytes},
      {"a name that points to itself", to_itself.bytes},
      {"a record without data, its name forwards", forwards.bytes},
      {"names in a ring", in_a_ring.bytes},
      {"an unknown type of label", reserved.bytes},
      {"a name that is too long", long_name.bytes},
      {"data longer than its length", short_data.bytes},
      {"data shorter than its length", long_data.bytes},
  };
  for (const BadCase& c : cases) EXPECT_FALSE(parse_srv_answer(c.message)) << c.why;
}

TEST(SrvAnswer, RefusesIncompleteMessages) {
  DnsMessage message = answer(2);
  message.srv(10, 5, 11335, "a.example.org").srv(20, 0, 7, "b.example.org");
  for (std::size_t size = 0; size < message.bytes.size(); ++size) {
    const Bytes cut(message.bytes.begin(),
                    message.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_srv_answer(cut)) << size;
  }
  EXPECT_TRUE(parse_srv_answer(message.bytes));
}

TEST(SrvOrder, SortsByPriorityAndDrawsByWeight) {
  const std::vector<SrvRecord> records = {
      {20, 1, 1, "last"}, {10, 3, 1, "heavy"}, {10, 1, 1, "light"}, {10, 0, 1, "never"}};
  int heavy = 0;
  int never = 0;
  constexpr std::uint64_t kDraws = 4000;
  for (std::uint64_t key = 0; key < kDraws; ++key) {
    std::vector<SrvRecord> ordered = records;
    order_srv(ordered, key);
    EXPECT_EQ(ordered.back().target, "last");
    heavy += ordered.front().target == "heavy" ? 1 : 0;
    never += ordered.front().target == "never" ? 1 : 0;
    std::vector<SrvRecord> again = records;
    order_srv(again, key);
    EXPECT_EQ(again, ordered) << "the same key gives the same order";
  }
  EXPECT_NEAR(heavy / double{kDraws}, 0.75, 0.04);
  EXPECT_LT(never / double{kDraws}, 0.02);
}

}  // namespace
}  // namespace shingled::storage::client
