#include "milter/view/message_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace shingled::milter::view {
namespace {

TEST(MessageJson, HasWhatIsKnownAndNullForTheRest) {
  history::MessageRecord record;
  record.score = 2.5;
  record.evidence.push_back({.symbol = "DENIED", .score = 2.5});
  storage::sqlite::HistoryReader::View row;
  const std::string queue_id = "4XyzQ1";
  row.time = 1'000'000;
  row.queue_id = as_bytes(queue_id);
  row.action = static_cast<std::uint8_t>(rules::Action::kReject);
  const Json bare = message_json({row, record});
  EXPECT_EQ(bare["id"], "4XyzQ1@1000000");
  EXPECT_EQ(bare["time"], "1970-01-01T00:00:01Z");
  EXPECT_EQ(bare["action"], "reject");
  EXPECT_EQ(bare["evidence"][0]["symbol"], "DENIED");
  EXPECT_EQ(bare["can_report"], false);
  for (const char* unknown : {"label", "sender", "recipients", "subject"})
    EXPECT_TRUE(bare[unknown].is_null()) << unknown;

  const std::string sender = "a@example.org";
  const std::string recipients = "b@example.net\nc@example.net\n";
  row.sender_name = as_bytes(sender);
  row.recipients = as_bytes(recipients);
  row.label = 2;
  row.is_kept = true;
  const Json whole = whole_message_json({row, record});
  EXPECT_EQ(whole["sender"], sender);
  EXPECT_EQ(whole["recipients"], Json({"b@example.net", "c@example.net"}));
  EXPECT_EQ(whole["label"], "ham");
  EXPECT_EQ(whole["can_report"], true);
  EXPECT_TRUE(whole["features"].is_object());
  EXPECT_TRUE(whole["counters"].is_array());
}

}  // namespace
}  // namespace shingled::milter::view
