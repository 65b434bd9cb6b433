// Covers milter/api/system/event_resource.cpp, too.
#include "milter/api/system/event_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "config/metrics/metric_report.h"
#include "milter/api/system/event_resource.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/milter/history/judged.h"

namespace shingled::milter::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr EventHub::Pace kQuick{
    .gather = {}, .heartbeat = std::chrono::milliseconds(20), .look = std::chrono::milliseconds(5)};
constexpr EventHub::Pace kPatient{
    .gather = {}, .heartbeat = std::chrono::hours(1), .look = std::chrono::hours(1)};

/// The next text of a stream; waits for it. "(end)" at its end.
std::string next(http::EventStream& stream) {
  for (;;) {
    const auto text = stream.take([] {});
    if (!text) return "(end)";
    if (!text->empty()) return *text;
  }
}

double metric(const EventHub& hub, const char* name) {
  MetricReport report;
  hub.report(report);
  return report.total(name);
}

class EventHubTest : public ::testing::Test {
 protected:
  SystemClock clock_;
  storage::sqlite::HistoryRow row_ =
      row_of(history::testing::Judged{.queue_id = "4X", .subject = "s"}.message(),
             history::testing::kSite, 5);
};

TEST_F(EventHubTest, TellsAllReadersAndNobodyElse) {
  EventHub hub(clock_, kPatient);
  EXPECT_FALSE(hub.has_readers());
  hub.tell({"reload", "nobody hears it"});
  const auto first = *hub.listen({}, "hello");
  const auto second = *hub.listen({}, "hello");
  EXPECT_TRUE(hub.feed()->is_wanted());
  for (const auto& stream : {first, second}) {
    const std::string text = next(*stream);
    EXPECT_THAT(text, StartsWith("retry: 3000\n\nevent: state\ndata: {"));
    EXPECT_THAT(text, HasSubstr(R"("what":"connected","text":"hello","link":null)"));
  }
  hub.feed()->give(row_, true);
  hub.tell({"rule", "in force", "rules/A"});
  for (const auto& stream : {first, second}) {
    const std::string message = next(*stream);
    EXPECT_THAT(message, StartsWith("event: message\ndata: {\"id\":\"4X@5\""));
    EXPECT_THAT(message, HasSubstr(R"("can_report":true)"));
    EXPECT_TRUE(message.ends_with("}\n\n"));
    EXPECT_THAT(next(*stream), HasSubstr(R"("link":"rules/A")"));
  }
}

TEST_F(EventHubTest, TellsOfMuchMailAFewMessagesAtATimeAndHowManyItLeftOut) {
  EventHub hub(
      clock_,
      {.gather = std::chrono::seconds(2), .heartbeat = kPatient.heartbeat, .look = kPatient.look});
  const auto stream = *hub.listen({}, "hello");
  static_cast<void>(next(*stream));
  hub.tell({"reload", "at once"});
  EXPECT_THAT(next(*stream), HasSubstr("at once"));
  for (std::size_t i = 0; i < EventHub::kMessagesAtOnce + 7; ++i) hub.feed()->give(row_, true);
  hub.tell({"rule", "not a message"});
  EXPECT_EQ(metric(hub, "shingled_events_dropped"), 7);
  EXPECT_EQ(stream->take([] {}), "") << "it rests after what it told";
  for (std::size_t i = 0; i < EventHub::kMessagesAtOnce; ++i)
    EXPECT_THAT(next(*stream), StartsWith("event: message"));
  EXPECT_THAT(next(*stream), HasSubstr("not a message"));
  EXPECT_THAT(next(*stream), HasSubstr("7 events were left out"));
}

TEST_F(EventHubTest, ARowThatCannotBeReadIsLeftOut) {
  EventHub hub(clock_, kPatient);
  const auto stream = *hub.listen({}, "hello");
  static_cast<void>(next(*stream));
  row_.details = {99};
  hub.feed()->give(row_, false);
  hub.tell({"reload", "after it"});
  EXPECT_THAT(next(*stream), HasSubstr("after it"));
}

TEST_F(EventHubTest, SaysThatItIsStillHere) {
  EventHub hub(clock_, kQuick);
  const auto stream = *hub.listen({}, "hello");
  static_cast<void>(next(*stream));
  EXPECT_EQ(next(*stream), ": still here\n\n");
}

TEST_F(EventHubTest, EndsForWhoMayNotListenAnyMore) {
  std::atomic<bool> may{true};  // before the hub, whose thread asks until it ends
  EventHub hub(clock_, kQuick);
  hub.check_with([&](const http::Caller& caller) { return may || caller.name == "bob"; });
  const auto ann = *hub.listen({.name = "ann"}, "hello");
  const auto bob = *hub.listen({.name = "bob"}, "hello");
  may = false;
  while (next(*ann) != "(end)") {
  }
  EXPECT_TRUE(bob->is_open());
  EXPECT_TRUE(hub.has_readers());
}

TEST_F(EventHubTest, EndsWithTheDaemon) {
  EventHub hub(clock_, kPatient);
  const auto stream = *hub.listen({}, "hello");
  static_cast<void>(next(*stream));
  hub.end();
  EXPECT_THAT(next(*stream), HasSubstr(R"("what":"end")"));
  EXPECT_EQ(next(*stream), "(end)");
  EXPECT_FALSE(hub.has_readers());
  EXPECT_FALSE(hub.listen({}, "hello"));
}

TEST_F(EventHubTest, HasABoundOfReaders) {
  EventHub hub(clock_, kPatient);
  std::vector<std::shared_ptr<http::EventStream>> streams;
  for (std::size_t i = 0; i < EventHub::kReadersMax; ++i) streams.push_back(*hub.listen({}, ""));
  EXPECT_EQ(hub.listen({}, "").error().code, ErrorCode::kUnavailable);
  streams[3]->detach();
  EXPECT_TRUE(hub.listen({}, "")) << "who has gone makes room at once";
  EXPECT_EQ(metric(hub, "shingled_events_readers"), EventHub::kReadersMax);
}

TEST_F(EventHubTest, WhoDoesNotReadIsCutOffAndCounted) {
  EventHub hub(clock_, kPatient);
  const auto slow = *hub.listen({}, "");
  const auto quick = *hub.listen({}, "");
  static_cast<void>(next(*quick));
  for (std::size_t i = 0; i < 2 * http::EventStream::kEventsMax; ++i) {
    hub.tell({"reload", "again"});
    EXPECT_THAT(next(*quick), HasSubstr("again"));
  }
  EXPECT_TRUE(slow->was_too_slow());
  EXPECT_EQ(metric(hub, "shingled_events_cut_off"), 1);
  EXPECT_EQ(metric(hub, "shingled_events_dropped"), 0);
}

TEST_F(EventHubTest, AnswersWithAStream) {
  EventHub hub(clock_, kPatient);
  const EventResource events(hub, [] { return "history.enabled is no"; });
  const auto reply = testing::ask(events.routes(), http::HttpMethod::kGet, "/api/1/events");
  EXPECT_EQ(reply.type, "text/event-stream");
  ASSERT_NE(reply.events, nullptr);
  EXPECT_THAT(next(*reply.events), HasSubstr("no messages: history.enabled is no"));
  hub.end();
  EXPECT_EQ(testing::ask(events.routes(), http::HttpMethod::kGet, "/api/1/events").status, 503U);
}

}  // namespace
}  // namespace shingled::milter::api
