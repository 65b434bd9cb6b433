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

/// Who reads the events of a stream one by one.
class Listener {
 public:
  explicit Listener(Result<std::shared_ptr<http::EventStream>> stream) : stream_(*stream) {}
  http::EventStream* operator->() const { return stream_.get(); }

  /// The next event; waits for it. "(end)" at its end.
  std::string next() {
    constexpr std::string_view kEnd = "\n\n";
    std::size_t end;
    while ((end = text_.find(kEnd)) == std::string::npos) {
      const auto more = stream_->take([] {});
      if (!more) return "(end)";
      text_ += *more;
    }
    std::string out = text_.substr(0, end + kEnd.size());
    text_.erase(0, out.size());
    return out;
  }

 private:
  std::shared_ptr<http::EventStream> stream_;
  std::string text_;
};

/// A listener who has been told that he is connected.
Listener connected(EventHub& hub, const http::Caller& caller = {}) {
  Listener out(hub.listen(caller, "hello"));
  EXPECT_EQ(out.next(), "retry: 3000\n\n");
  EXPECT_THAT(out.next(), HasSubstr(R"("what":"connected","text":"hello","link":null)"));
  return out;
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
  Listener first = connected(hub);
  Listener second = connected(hub);
  EXPECT_TRUE(hub.feed()->is_wanted());
  hub.feed()->give(row_, true);
  hub.tell({"rule", "in force", "rules/A"});
  for (Listener* listener : {&first, &second}) {
    const std::string message = listener->next();
    EXPECT_THAT(message, StartsWith("event: message\ndata: {\"id\":\"4X@5\""));
    EXPECT_THAT(message, HasSubstr(R"("can_report":true)"));
    EXPECT_TRUE(message.ends_with("}\n\n"));
    EXPECT_THAT(listener->next(), HasSubstr(R"("link":"rules/A")"));
  }
}

TEST_F(EventHubTest, TellsOfMuchMailAFewMessagesAtATimeAndHowManyItLeftOut) {
  EventHub hub(
      clock_,
      {.gather = std::chrono::seconds(2), .heartbeat = kPatient.heartbeat, .look = kPatient.look});
  Listener stream = connected(hub);
  hub.tell({"reload", "at once"});
  EXPECT_THAT(stream.next(), HasSubstr("at once"));
  for (std::size_t i = 0; i < EventHub::kMessagesAtOnce + 7; ++i) hub.feed()->give(row_, true);
  hub.tell({"rule", "not a message"});
  EXPECT_EQ(metric(hub, "shingled_events_dropped"), 7);
  EXPECT_EQ(stream->take([] {}), "") << "it rests after what it told";
  for (std::size_t i = 0; i < EventHub::kMessagesAtOnce; ++i)
    EXPECT_THAT(stream.next(), StartsWith("event: message"));
  EXPECT_THAT(stream.next(), HasSubstr("not a message"));
  EXPECT_THAT(stream.next(), HasSubstr("7 events were left out"));
}

TEST_F(EventHubTest, ARowThatCannotBeReadIsLeftOut) {
  EventHub hub(clock_, kPatient);
  Listener stream = connected(hub);
  row_.details = {99};
  hub.feed()->give(row_, false);
  hub.tell({"reload", "after it"});
  EXPECT_THAT(stream.next(), HasSubstr("after it"));
}

TEST_F(EventHubTest, SaysThatItIsStillHere) {
  EventHub hub(clock_, kQuick);
  Listener stream = connected(hub);
  EXPECT_EQ(stream.next(), ": still here\n\n");
}

TEST_F(EventHubTest, EndsForWhoMayNotListenAnyMore) {
  std::atomic<bool> may{true};  // before the hub, whose thread asks until it ends
  EventHub hub(clock_, kQuick);
  hub.check_with([&](const http::Caller& caller) { return may || caller.name == "bob"; });
  Listener ann = connected(hub, {.name = "ann"});
  Listener bob = connected(hub, {.name = "bob"});
  may = false;
  while (ann.next() != "(end)") {
  }
  EXPECT_TRUE(bob->is_open());
  EXPECT_TRUE(hub.has_readers());
}

TEST_F(EventHubTest, EndsWithTheDaemon) {
  EventHub hub(clock_, kPatient);
  Listener stream = connected(hub);
  hub.end();
  EXPECT_THAT(stream.next(), HasSubstr(R"("what":"end")"));
  EXPECT_EQ(stream.next(), "(end)");
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
  EXPECT_FALSE(hub.listen({}, ""));
  streams[5]->attach([] {}, [] { return true; });
  while (streams[5]->take([] {}) != "") {
  }
  EXPECT_TRUE(hub.listen({}, "")) << "and who has left a connection that is parked";
  EXPECT_EQ(metric(hub, "shingled_events_readers"), EventHub::kReadersMax);
}

TEST_F(EventHubTest, WhoDoesNotReadIsCutOffAndCounted) {
  EventHub hub(clock_, kPatient);
  const auto slow = *hub.listen({}, "");
  Listener quick = connected(hub);
  for (std::size_t i = 0; i < 2 * http::EventStream::kTextsMax; ++i) {
    hub.tell({"reload", "again"});
    EXPECT_THAT(quick.next(), HasSubstr("again"));
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
  Listener listener(reply.events);
  EXPECT_EQ(listener.next(), "retry: 3000\n\n");
  EXPECT_THAT(listener.next(), HasSubstr("no messages: history.enabled is no"));
  hub.end();
  EXPECT_EQ(testing::ask(events.routes(), http::HttpMethod::kGet, "/api/1/events").status, 503U);
}

}  // namespace
}  // namespace shingled::milter::api
