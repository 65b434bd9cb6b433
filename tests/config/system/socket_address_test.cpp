#include "config/system/socket_address.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(IpAddress, FoldsMappedAddresses) {
  EXPECT_EQ(IpAddress::parse("::ffff:192.0.2.1"), IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(IpAddress::parse("::ffff:192.0.2.1")->to_string(), "192.0.2.1");
}

TEST(IpAddress, RefusesWhatIsNotNumeric) {
  for (const char* text : {"", "localhost", "[::1]", "192.0.2", "192.0.2.256", "192.0.2.1:1",
                           " ::1", "::1 ", "01.2.3.4x"}) {
    EXPECT_EQ(IpAddress::parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(IpAddress::parse(std::string_view("127.0.0.1\0x", 11)), std::nullopt)
      << "a zero byte does not end the text";
}

TEST(IpAddress, KnowsLoopback) {
  EXPECT_TRUE(IpAddress::parse("127.255.0.1")->is_loopback());
  EXPECT_TRUE(IpAddress::parse("::1")->is_loopback());
  EXPECT_FALSE(IpAddress::parse("::2")->is_loopback());
  EXPECT_FALSE(IpAddress::parse("128.0.0.1")->is_loopback());
}

struct NetworkCase {
  const char* why;
  const char* network;
  const char* ip;
  bool inside;
};

TEST(Network, ContainsItsAddresses) {
  constexpr NetworkCase kCases[] = {
      {"inside a whole byte", "10.0.0.0/8", "10.255.0.1", true},
      {"beyond it", "10.0.0.0/8", "11.0.0.0", false},
      {"inside part of a byte", "192.0.2.128/25", "192.0.2.200", true},
      {"before it", "192.0.2.128/25", "192.0.2.127", false},
      {"a single address", "192.0.2.1", "192.0.2.1", true},
      {"and its neighbour", "192.0.2.1", "192.0.2.2", false},
      {"everything of a family", "0.0.0.0/0", "255.1.2.3", true},
      {"not of the other", "0.0.0.0/0", "::1", false},
      {"IPv6", "2001:db8::/33", "2001:db8:7fff::1", true},
      {"IPv6 beyond", "2001:db8::/33", "2001:db8:8000::1", false},
      {"mapped addresses are IPv4", "10.0.0.0/8", "::ffff:10.1.1.1", true},
      {"bits behind the prefix do not matter", "10.1.2.3/8", "10.9.9.9", true},
  };
  for (const NetworkCase& test : kCases) {
    const auto network = Network::parse(test.network);
    ASSERT_TRUE(network.has_value()) << test.why;
    EXPECT_EQ(network->contains(*IpAddress::parse(test.ip)), test.inside) << test.why;
  }
}

TEST(Network, RefusesBadText) {
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1",
                           "10.0.0.0/8x", "10.0.0.0/ 8", "host/8", "10.0.0.0/8/8"}) {
    EXPECT_EQ(Network::parse(text), std::nullopt) << text;
  }
}

TEST(Network, WritesTheShortestText) {
  EXPECT_EQ(Network::parse("10.1.2.3/8")->to_string(), "10.0.0.0/8");
  EXPECT_EQ(Network::parse("10.1.2.3/32")->to_string(), "10.1.2.3");
  EXPECT_EQ(Network::parse("2001:db8::1/32")->to_string(), "2001:db8::/32");
}

struct SocketCase {
  const char* why;
  const char* text;
  const char* milter_style;  ///< nullptr = refused
};

TEST(SocketSpec, ReadsEveryNotation) {
  constexpr SocketCase kCases[] = {
      {"libmilter's", "inet:11339@127.0.0.1", "inet:11339@127.0.0.1"},
      {"with a name", "inet:11339@localhost", "inet:11339@localhost"},
      {"any address", "inet:11339", "inet:11339"},
      {"IPv6", "inet6:11339@::1", "inet6:11339@::1"},
      {"IPv6 in brackets", "inet6:11339@[::1]", "inet6:11339@::1"},
      {"Postfix's", "inet:localhost:11339", "inet:11339@localhost"},
      {"Postfix's IPv6", "inet:[::1]:11339", "inet6:11339@::1"},
      {"a unix socket", "unix:/run/x", "unix:/run/x"},
      {"the same", "local:/run/x", "unix:/run/x"},
      {"host and port", "127.0.0.1:1", "inet:1@127.0.0.1"},
      {"any address", "*:1", "inet:1"},
      {"brackets", "[2001:db8::1]:1", "inet6:1@2001:db8::1"},
      {"the default port", "mail.example", "inet:11335@mail.example"},
      {"of an IPv6 address", "[::1]", "inet6:11335@::1"},
      {"without brackets", "::1", "inet6:11335@::1"},
      {"port 0 is the kernel's choice", "127.0.0.1:0", "inet:0@127.0.0.1"},
      {"the last port", "a:65535", "inet:65535@a"},
      {"one more", "a:65536", nullptr},
      {"an empty port", "a:", nullptr},
      {"a port that is not a number", "a:x1", nullptr},
      {"a relative path", "unix:run/x", nullptr},
      {"no path", "unix:", nullptr},
      {"a name in brackets", "[a]:1", nullptr},
      {"a blank", "a b:1", nullptr},
      {"a path of 108 bytes",
       "unix:/"
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
       "aaaaaaaaaaaaaaaaa",
       nullptr},
  };
  for (const SocketCase& test : kCases) {
    SCOPED_TRACE(test.why);
    const auto spec = SocketSpec::parse(test.text, 11335);
    ASSERT_EQ(spec.has_value(), test.milter_style != nullptr) << test.text;
    if (spec) {
      EXPECT_EQ(spec->to_string(), test.milter_style);
    }
  }
}

TEST(SocketAddress, ListensOnBothFamiliesOfAnyAddressOnce) {
  const auto addresses = SocketAddress::resolve_all(
      {*SocketSpec::parse("*:7"), *SocketSpec::parse("[::]:7"), *SocketSpec::parse("127.0.0.1:8")});
  ASSERT_TRUE(addresses) << addresses.error().message;
  std::vector<std::string> texts;
  for (const SocketAddress& address : *addresses) texts.push_back(address.to_string());
  EXPECT_EQ(texts, (std::vector<std::string>{"0.0.0.0:7", "[::]:7", "127.0.0.1:8"}));
}

TEST(SocketSpec, RefusesBytesThatNoNameHas) {
  for (const std::string& text :
       {std::string("a\0b:1", 5), std::string("unix:/run\0x", 11), std::string("a\x1b:1"),
        std::string("a\nb:1"), std::string("\xc3\xa4:1")}) {
    EXPECT_FALSE(SocketSpec::parse(text).has_value()) << text;
  }
}

TEST(SocketSpec, NeedsAPortWhereThereIsNoDefault) {
  const auto spec = SocketSpec::parse("localhost");
  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().message,
            "'localhost' is not a valid socket: the port is missing; allowed: inet:PORT@HOST, "
            "inet6:PORT@HOST, unix:/PATH, local:/PATH, HOST:PORT, [IPV6]:PORT");
}

TEST(SocketAddress, ComesFromAnAddressAndGoesBack) {
  for (const char* text : {"192.0.2.1", "2001:db8::1"}) {
    const auto ip = IpAddress::parse(text);
    const SocketAddress address(*ip, 11335);
    EXPECT_EQ(address.ip(), ip);
    EXPECT_EQ(address.port(), 11335);
  }
  EXPECT_EQ(SocketAddress(*IpAddress::parse("::1"), 1).to_string(), "[::1]:1");
  EXPECT_EQ(SocketAddress(*IpAddress::parse("127.0.0.1"), 1).to_string(), "127.0.0.1:1");
}

TEST(SocketAddress, ResolvesNumericSpecs) {
  const auto v4 = SocketAddress::resolve(*SocketSpec::parse("127.0.0.1:11335"));
  ASSERT_TRUE(v4.has_value());
  ASSERT_EQ(v4->size(), 1U);
  EXPECT_EQ(v4->front().to_string(), "127.0.0.1:11335");
  const auto v6 = SocketAddress::resolve(*SocketSpec::parse("[::1]:11335"));
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(v6->front().to_string(), "[::1]:11335");
}

}  // namespace
}  // namespace shingled
