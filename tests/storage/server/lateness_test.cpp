#include "storage/server/lateness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "storage/crypto/sealed_request.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

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

TEST(Lateness, DropsWhatNobodyWaitsFor) {
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
      {"a PING is asked again, too", packet_of(protocol::CommandCode::kPing), hours(1),
       milliseconds(1), true},
      {"a STAT is, too", packet_of(protocol::CommandCode::kStat), hours(1), milliseconds(1), true},
      {"a WRITE in the clear stays", packet_of(protocol::CommandCode::kWrite), hours(1),
       milliseconds(1), false},
      {"a DEL in the clear stays", packet_of(protocol::CommandCode::kDelete), hours(1),
       milliseconds(1), false},
      {"what is sealed is not opened", sealed_packet(), hours(1), milliseconds(1), true},
      {"rubbish is no update", Bytes{4, 1}, hours(1), milliseconds(1), true},
      {"nothing is no update", {}, hours(1), milliseconds(1), true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_too_late(c.packet, c.waited, c.limit), c.too_late) << c.why;
  }
}

}  // namespace
}  // namespace shingled::storage::server
