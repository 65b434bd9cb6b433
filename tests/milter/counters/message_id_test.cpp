#include "milter/counters/message_id.h"

#include <gtest/gtest.h>

#include <vector>

namespace shingled::milter::counters {
namespace {

constexpr CounterKeyBytes kSite{1, 2, 3};

TEST(MessageId, IsTheFirstThatIsNotBlank) {
  const std::vector<mime::HeaderField> fields = {{.name = "Subject", .value = "<0@b>"},
                                                 {.name = "Message-ID", .value = " \t"},
                                                 {.name = "message-id", .value = " <1@b>\r\n"},
                                                 {.name = "Message-ID", .value = "<2@b>"}};
  EXPECT_EQ(message_id_of(fields), "<1@b>");
  EXPECT_EQ(message_id_of({}), "");
}

TEST(MessageId, HasAKeyedName) {
  const std::uint64_t name = history_id(kSite, "<1@example.org>");
  EXPECT_EQ(history_id(kSite, " <1@example.org>\t"), name);
  EXPECT_NE(history_id(kSite, "<1@Example.org>"), name);
  EXPECT_NE(history_id(CounterKeyBytes{1}, "<1@example.org>"), name);
  EXPECT_EQ(history_id(kSite, " \t"), 0U);
}

}  // namespace
}  // namespace shingled::milter::counters
