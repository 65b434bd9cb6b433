// Covers storage/server/server_counters.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Bytes packet_of(protocol::CommandCode code) {
  protocol::Command command;
  command.code = code;
  Bytes packet(protocol::kCommandBytesMax);
  packet.resize(protocol::encode_command(command, packet));
  return packet;
}

Bytes sealed_packet() {
  Bytes packet(crypto::kSealedRequestBytesMin);
  std::ranges::copy(std::string_view("rsfe"), packet.begin());
  return packet;
}

TEST(Lateness, DropsPacketsThatWaitedLongerThanTheLimit) {
  const struct {
    const char* why;
    Bytes packet;
    Duration waited;
    Duration limit;
    bool too_late;
  } cases[] = {
      {"read at once", packet_of(protocol::CommandCode::kCheck), {}, milliseconds(500), false},
      {"just in time", packet_of(protocol::CommandCode::kCheck), milliseconds(500),
       milliseconds(500), false},
      {"over the limit", packet_of(protocol::CommandCode::kCheck), milliseconds(501),
       milliseconds(500), true},
      {"no limit", packet_of(protocol::CommandCode::kCheck), hours(1), {}, false},
      {"a PING is repeated by its client, too", packet_of(protocol::CommandCode::kPing), hours(1),
       milliseconds(1), true},
      {"a STAT, too", packet_of(protocol::CommandCode::kStat), hours(1), milliseconds(1), true},
      {"a WRITE in the clear is kept", packet_of(protocol::CommandCode::kWrite), hours(1),
       milliseconds(1), false},
      {"a DEL in the clear is kept", packet_of(protocol::CommandCode::kDelete), hours(1),
       milliseconds(1), false},
      {"a sealed packet is not opened to find out", sealed_packet(), hours(1), milliseconds(1),
       true},
      {"two bytes are not a valid update", Bytes{4, 1}, hours(1), milliseconds(1), true},
      {"an empty packet is not a valid update", {}, hours(1), milliseconds(1), true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_too_late(c.packet, c.waited, c.limit), c.too_late) << c.why;
  }
}

class Lines final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

TEST(LossReport, LogsAtOnceAndThenOncePerMinute) {
  Lines log;
  LossReport report(log);
  const TimePoint begin{};
  report.record(0, 0, begin);
  EXPECT_THAT(log.lines, IsEmpty()) << "nothing was lost";
  report.record(3, 0, begin);
  report.record(1, 2, begin + std::chrono::seconds(30));
  report.record(0, 5, begin + std::chrono::seconds(59));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_overloaded kernel_drops=3 too_late=0"));
  report.record(10, 0, begin + std::chrono::seconds(60));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_overloaded kernel_drops=3 too_late=0",
                                     "fuzzy_overloaded kernel_drops=11 too_late=7"));
}

TEST(LossReport, LogsRefusedUpdatesOncePerHourAndReason) {
  Lines log;
  LossReport report(log);
  const TimePoint begin{};
  const IpAddress source = *IpAddress::parse("192.0.2.7");
  report.note_refused_update(access::UpdateRefusal::kAddress, source, begin);
  report.note_refused_update(access::UpdateRefusal::kAddress, source,
                             begin + std::chrono::minutes(9));
  report.note_refused_update(access::UpdateRefusal::kNoKey, source, begin);
  ASSERT_EQ(log.lines.size(), 2U);
  EXPECT_THAT(log.lines[0], AllOf(HasSubstr("source=192.0.2.7"), HasSubstr("storage.allow_update"),
                                  HasSubstr("refused=1")));
  report.note_refused_update(access::UpdateRefusal::kAddress, source,
                             begin + std::chrono::hours(1));
  ASSERT_EQ(log.lines.size(), 3U);
  EXPECT_THAT(log.lines[2], HasSubstr("refused=2"));
}

TEST(LossReport, LogsMissingMemoryOncePerMinute) {
  Lines log;
  LossReport report(log);
  const TimePoint begin{};
  for (int i = 0; i < 5; ++i) report.note_no_memory(begin + std::chrono::seconds(i));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_out_of_memory requests=1"));
  report.note_no_memory(begin + std::chrono::seconds(60));
  EXPECT_THAT(log.lines,
              ElementsAre("fuzzy_out_of_memory requests=1", "fuzzy_out_of_memory requests=5"));
}

class NoMemoryForLines final : public Logger {
 public:
  void write(LogLevel, std::string_view) override { throw std::bad_alloc(); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
};

TEST(LossReport, SurvivesThatThereIsNoMemoryForTheLogLine) {
  NoMemoryForLines log;
  LossReport report(log);
  for (int i = 0; i < 5; ++i) report.note_no_memory(TimePoint{});
}

}  // namespace
}  // namespace shingled::storage::server
