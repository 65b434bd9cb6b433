#include "config/options/server_list.h"

#include <gmock/gmock.h>

namespace shingled {
namespace {

using ::testing::HasSubstr;

constexpr std::uint16_t kPort = 11335;

struct Case {
  const char* why;
  const char* text;
  const char* name;
  std::uint32_t weight;
};

TEST(ServerSpec, ReadsEveryNotation) {
  constexpr Case kCases[] = {
      {"a host", "a.example", "a.example:11335", 1},
      {"a port", "a.example:7", "a.example:7", 1},
      {"a weight", "a.example:7:20", "a.example:7", 20},
      {"the largest weight", "192.0.2.1:7:1000", "192.0.2.1:7", 1000},
      {"IPv6", "[2001:db8::1]", "[2001:db8::1]:11335", 1},
      {"IPv6 with a port", "[2001:db8::1]:7", "[2001:db8::1]:7", 1},
      {"IPv6 with a weight", "[2001:db8::1]:7:3", "[2001:db8::1]:7", 3},
      {"colons of an address are no weight", "2001:db8::1", "[2001:db8::1]:11335", 1},
      {"the milter's notation", "inet:7@a.example", "a.example:7", 1},
      {"a host of Postfix' notation", "inet:a.example:7", "a.example:7", 1},
      {"an SRV record", "service=fuzzy+example.org", "service=fuzzy+example.org", 1},
      {"an SRV record with a weight", "service=fuzzy+example.org:5", "service=fuzzy+example.org",
       5},
  };
  for (const Case& c : kCases) {
    const auto spec = ServerSpec::parse(c.text, kPort);
    ASSERT_TRUE(spec) << c.why;
    EXPECT_EQ(spec->to_string(), c.name) << c.why;
    EXPECT_EQ(spec->weight, c.weight) << c.why;
  }
}

struct BadCase {
  const char* why;
  std::string text;
  const char* message;
};

TEST(ServerSpec, SaysWhatIsWrong) {
  const BadCase cases[] = {
      {"no weight at all", "a:7:", "1 to 1000"},
      {"no share of the questions", "a:7:0", "1 to 1000"},
      {"too heavy", "a:7:1001", "1 to 1000"},
      {"a word", "a:7:x", "1 to 1000"},
      {"one colon more", "a:7:1:1", "1 to 1000"},
      {"a port that is none", "a:70000", "0 to 65535"},
      {"no domain", "service=fuzzy", "'+'"},
      {"an empty service", "service=+example.org", "the name of the service is not valid"},
      {"two labels", "service=a.b+example.org", "the name of the service is not valid"},
      {"an empty domain", "service=fuzzy+", "the domain is not valid"},
      {"an empty label", "service=fuzzy+a..b", "the domain is not valid"},
      {"not a name", "service=fuzzy+a/b", "the domain is not valid"},
      {"longer than DNS has names", "service=fuzzy+" + std::string(64, 'a'),
       "the domain is not valid"},
      {"endless", std::string(401, 'a'), "too long"},
  };
  for (const BadCase& c : cases) {
    const auto spec = ServerSpec::parse(c.text, kPort);
    ASSERT_FALSE(spec) << c.why;
    EXPECT_EQ(spec.error().code, ErrorCode::kInvalid) << c.why;
    EXPECT_THAT(spec.error().message, HasSubstr(c.message)) << c.why;
  }
}

TEST(ServerSpec, NeedsAPortWhereThereIsNoDefault) { EXPECT_FALSE(ServerSpec::parse("a.example")); }

struct RotationCase {
  const char* why;
  const char* text;
  Rotation rotation;
  const char* rest;
};

TEST(ServerList, TakesTheRotationOffItsFront) {
  constexpr RotationCase kCases[] = {
      {"none: it stays as it was", "a:1", Rotation::kHash, "a:1"},
      {"in turn", "round-robin:a:1", Rotation::kRoundRobin, "a:1"},
      {"weights left out", "sequential:a", Rotation::kSequential, "a"},
      {"the first one", "master-slave:[::1]:1", Rotation::kMasterSlave, "[::1]:1"},
      {"by digest", "hash:a:1:5", Rotation::kHash, "a:1:5"},
      {"any", "random:service=x+y", Rotation::kRandom, "service=x+y"},
      {"a host of that name without a port", "master-slave", Rotation::kHash, "master-slave"},
      {"nothing behind it", "random:", Rotation::kHash, "random:"},
      {"a longer name", "hashes:1", Rotation::kHash, "hashes:1"},
  };
  for (const RotationCase& c : kCases) {
    Rotation rotation = Rotation::kHash;
    EXPECT_EQ(take_rotation(c.text, rotation), c.rest) << c.why;
    EXPECT_EQ(rotation, c.rotation) << c.why;
  }
}

TEST(ServerList, NamesEveryRotationAsItIsWritten) {
  for (const Rotation rotation : {Rotation::kRoundRobin, Rotation::kSequential,
                                  Rotation::kMasterSlave, Rotation::kHash, Rotation::kRandom}) {
    Rotation read = rotation == Rotation::kHash ? Rotation::kRandom : Rotation::kHash;
    EXPECT_EQ(take_rotation(std::string(to_string(rotation)) + ":a", read), "a");
    EXPECT_EQ(read, rotation);
  }
}

}  // namespace
}  // namespace shingled
