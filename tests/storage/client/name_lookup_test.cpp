#include "storage/client/name_lookup.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/support/dns_message.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace {

using testing::DnsMessage;
using testing::UdpPeer;

/// A name server of one name: answers `records` for `known` and "no such name" for everything else.
void serve_dns(UdpPeer& peer, const std::string& known, int questions) {
  for (int i = 0; i < questions; ++i) {
    const auto asked = peer.receive();
    if (!asked || asked->size() < 12) return;
    const unsigned id = static_cast<unsigned>((*asked)[0]) << 8 | (*asked)[1];
    DnsMessage labels(0, 0, 0);
    labels.bytes.clear();
    labels.name(known);
    const bool is_known = std::search(asked->begin(), asked->end(), labels.bytes.begin(),
                                      labels.bytes.end()) != asked->end();
    const auto flags = static_cast<std::uint16_t>(DnsMessage::kResponse | (is_known ? 0 : 3));
    DnsMessage answer(flags, 1, is_known ? 2 : 0, static_cast<std::uint16_t>(id));
    // A copy of the question up to the end of its type and class.
    const std::size_t name_end =
        static_cast<std::size_t>(std::find(asked->begin() + 12, asked->end(), 0) - asked->begin());
    answer.bytes.insert(answer.bytes.end(), asked->begin() + 12,
                        asked->begin() + static_cast<std::ptrdiff_t>(name_end) + 5);
    if (is_known) answer.srv(20, 0, 7, "127.0.0.2").srv(10, 0, 11335, "127.0.0.1");
    peer.send(answer.bytes, peer.from());
  }
}

struct Case {
  const char* why;
  const char* known;
  int questions;
};

TEST(NameLookup, FindsAServiceByItsSrvRecords) {
  constexpr Case kCases[] = {
      {"the name that rspamd asks for", "_fuzzy._tcp.example.org", 1},
      {"the name for UDP", "_fuzzy._udp.example.org", 2},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    UdpPeer peer;
    std::jthread server([&] { serve_dns(peer, c.known, c.questions); });
    SystemLookup lookup(1, peer.address());
    const auto found = lookup.find(*ServerSpec::parse("service=fuzzy+example.org:3"));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->name, "service=fuzzy+example.org");
    EXPECT_EQ(found->weight, 3U);
    ASSERT_EQ(found->addresses.size(), 2U);
    EXPECT_EQ(found->addresses[0].to_string(), "127.0.0.1:11335") << "the smallest priority first";
    EXPECT_EQ(found->addresses[1].to_string(), "127.0.0.2:7");
  }
}

TEST(NameLookup, ReportsAServiceThatDoesNotExist) {
  UdpPeer peer;
  std::jthread server([&] { serve_dns(peer, "_other._tcp.example.org", 2); });
  SystemLookup lookup(1, peer.address());
  const auto found = lookup.find(*ServerSpec::parse("service=fuzzy+example.org"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("service=fuzzy+example.org"));
}

TEST(NameLookup, AcceptsALiteralAddress) {
  SystemLookup lookup(1);
  const auto found = lookup.find(*ServerSpec::parse("[::1]:7:2"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->weight, 2U);
  ASSERT_EQ(found->addresses.size(), 1U);
  EXPECT_EQ(found->addresses[0].to_string(), "[::1]:7");
}

}  // namespace
}  // namespace shingled::storage::client
