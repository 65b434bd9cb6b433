// Covers config/document/section.cpp, config/document/field.cpp, config/document/diagnostics.cpp,
// config/document/places.cpp: typed reads, and the exact text of each problem.
#include "config/document/section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Reads one key "k" of a text with `read` and gives what was wrong.
template <typename Read>
std::vector<std::string> problems_of(std::string_view yaml, Read read) {
  Diagnostics diagnostics("f");
  const auto root = parse_yaml(yaml, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  {
    Section section(root ? &*root : nullptr, "s", diagnostics);
    read(section);
  }
  std::vector<std::string> out;
  for (const Problem& problem : diagnostics.problems()) out.push_back(problem.to_string());
  return out;
}

TEST(Section, LeavesWhatIsAbsent) {
  bool flag = true;
  std::string text = "old";
  std::uint32_t number = 7;
  std::chrono::seconds duration(7);
  EXPECT_THAT(
      problems_of(
          "",
          [&](Section& section) {
            section.boolean("a", flag);
            section.text("b", text);
            section.number<std::uint32_t>("c", number, {0, 9});
            section.duration<std::chrono::seconds>("d", duration, {{}, std::chrono::hours(1)});
          }),
      IsEmpty());
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "old");
  EXPECT_EQ(number, 7U);
  EXPECT_EQ(duration.count(), 7);
}

TEST(Section, ReadsYesAndNoInManyWords) {
  for (const char* word : {"true", "yes", "on", "True", "YES", "\"on\""}) {
    bool value = false;
    EXPECT_THAT(problems_of(std::string("k: ") + word, [&](Section& s) { s.boolean("k", value); }),
                IsEmpty());
    EXPECT_TRUE(value) << word;
  }
  for (const char* word : {"false", "no", "off", "Off"}) {
    bool value = true;
    EXPECT_THAT(problems_of(std::string("k: ") + word, [&](Section& s) { s.boolean("k", value); }),
                IsEmpty());
    EXPECT_FALSE(value) << word;
  }
}

struct BadValue {
  const char* why;
  const char* yaml;
  const char* problem;
};

template <typename Read, std::size_t N>
void expect_refused(const BadValue (&cases)[N], Read read) {
  for (const BadValue& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(problems_of(test.yaml, read), ElementsAre(test.problem));
  }
}

TEST(Section, RefusesWhatIsNoBoolean) {
  const BadValue cases[] = {
      {"a number", "k: 1",
       "f:1:4: s.k: '1' is neither yes nor no; allowed: true, false, yes, no, on, off"},
      {"nothing", "k:", "f:1:1: s.k: has no value; allowed: true, false, yes, no, on, off"},
      {"a list", "k: [yes]", "f:1:4: s.k: is a list; allowed: true, false, yes, no, on, off"},
      {"a map", "k: {a: b}", "f:1:4: s.k: is a map; allowed: true, false, yes, no, on, off"},
  };
  bool value = false;
  expect_refused(cases, [&](Section& section) { section.boolean("k", value); });
}

TEST(Section, RefusesNumbersOutOfRange) {
  const BadValue cases[] = {
      {"too small", "k: 0", "f:1:4: s.k: '0' is out of range; allowed: 1 to 255"},
      {"too large", "k: 256", "f:1:4: s.k: '256' is out of range; allowed: 1 to 255"},
      {"beyond 64 bits", "k: 99999999999999999999",
       "f:1:4: s.k: '99999999999999999999' is out of range; allowed: 1 to 255"},
      {"negative", "k: -1", "f:1:4: s.k: '-1' is not a whole number; allowed: 1 to 255"},
      {"a fraction", "k: 1.5", "f:1:4: s.k: '1.5' is not a whole number; allowed: 1 to 255"},
      {"hexadecimal", "k: 0x10", "f:1:4: s.k: '0x10' is not a whole number; allowed: 1 to 255"},
      {"empty", "k: ''", "f:1:4: s.k: '' is not a whole number; allowed: 1 to 255"},
  };
  std::uint32_t value = 7;
  expect_refused(cases, [&](Section& s) { s.number<std::uint32_t>("k", value, {1, 255}); });
  EXPECT_EQ(value, 7U);
}

TEST(Section, RefusesRealsThatAreNotFinite) {
  const BadValue cases[] = {
      {"YAML's not a number", "k: .nan",
       "f:1:4: s.k: '.nan' is not a number; allowed: a number of at least 0"},
      {"C's not a number", "k: nan",
       "f:1:4: s.k: 'nan' is not a number; allowed: a number of at least 0"},
      {"infinity", "k: inf", "f:1:4: s.k: 'inf' is not a number; allowed: a number of at least 0"},
      {"too large", "k: 1e999",
       "f:1:4: s.k: '1e999' is not a number; allowed: a number of at least 0"},
      {"out of range", "k: -0.5",
       "f:1:4: s.k: '-0.5' is out of range; allowed: a number of at least 0"},
  };
  double value = 0;
  expect_refused(cases, [&](Section& section) {
    section.real("k", value, {0, std::numeric_limits<double>::max()});
  });
}

TEST(Section, RefusesDurations) {
  const BadValue cases[] = {
      {"no unit", "k: 90",
       "f:1:4: s.k: '90' is not a duration; allowed: a number with ms, s, m, h, d or w, such as "
       "90d "
       "or "
       "1h30m, or 0 (never)"},
      {"too short", "k: 30s", "f:1:4: s.k: '30s' is out of range; allowed: 0 (never) or 1m to 1h"},
      {"too long", "k: 2h", "f:1:4: s.k: '2h' is out of range; allowed: 0 (never) or 1m to 1h"},
      {"finer than the setting", "k: 1m500ms",
       "f:1:4: s.k: '1m500ms' is too fine; allowed: multiples of 1s"},
  };
  std::chrono::seconds value(0);
  expect_refused(cases, [&](Section& section) {
    section.duration<std::chrono::seconds>(
        "k", value, {std::chrono::minutes(1), std::chrono::hours(1)}, "never");
  });
}

TEST(Section, RefusesSizes) {
  const BadValue cases[] = {
      {"an unknown unit", "k: 5 MB",
       "f:1:4: s.k: '5 MB' is not a size; allowed: bytes, or a number with K, M, G or T, such as "
       "64K"},
      {"out of range", "k: 2G", "f:1:4: s.k: '2G' is out of range; allowed: 1K to 1G"},
  };
  std::uint64_t value = 0;
  expect_refused(cases, [&](Section& s) { s.size("k", value, {1024, std::uint64_t{1} << 30}); });
}

TEST(Section, RefusesNetworksAndSockets) {
  const BadValue networks[] = {
      {"a prefix out of range", "k: 10.0.0.0/33",
       "f:1:4: s.k: '10.0.0.0/33' is not a network; allowed: an IP address or a network such as "
       "192.0.2.0/24"},
      {"the second of a list", "k: [::1, localhost]",
       "f:1:10: s.k[1]: 'localhost' is not a network; allowed: an IP address or a network such as "
       "192.0.2.0/24"},
      {"nothing: who would be meant?", "k:",
       "f:1:1: s.k: has no value; allowed: an IP address or a network such as 192.0.2.0/24, a list "
       "of them, or [] for none"},
  };
  std::vector<Network> network;
  expect_refused(networks, [&](Section& section) { section.networks("k", network); });
  const BadValue sockets[] = {
      {"a unix socket for UDP", "k: unix:/run/x",
       "f:1:4: s.k: 'unix:/run/x' is a unix socket, but this service speaks UDP; allowed: "
       "HOST:PORT, [IPV6]:PORT, inet:PORT@HOST"},
  };
  std::vector<SocketSpec> socket;
  expect_refused(sockets, [&](Section& section) { section.sockets("k", socket, 11335); });
}

TEST(Section, ReadsAListFromOneScalar) {
  for (const char* yaml : {"k: 127.0.0.1, 10.0.0.0/8", "k: 127.0.0.1 10.0.0.0/8",
                           "k: [127.0.0.1, 10.0.0.0/8]", "k:\n- 127.0.0.1\n- 10.0.0.0/8"}) {
    std::vector<Network> value;
    EXPECT_THAT(problems_of(yaml, [&](Section& s) { s.networks("k", value); }), IsEmpty());
    EXPECT_EQ(value.size(), 2U) << yaml;
  }
}

TEST(Section, ReportsUnknownAndDuplicateKeys) {
  std::string value;
  const auto read = [&](Section& section) {
    section.text("expire", value);
    section.text("sync", value);
  };
  EXPECT_THAT(problems_of("expires: 1\n", read),
              ElementsAre("f:1:1: s.expires: unknown key; did you mean 'expire'?"));
  EXPECT_THAT(problems_of("zzz: 1\n", read),
              ElementsAre("f:1:1: s.zzz: unknown key; allowed: expire, sync"));
  EXPECT_THAT(problems_of("sync: 1\nexpire: 1\nsync: 2\n", read),
              ElementsAre("f:3:1: s.sync: duplicate key; first given in line 1"));
}

TEST(Section, KnowsOtherNamesOfAKey) {
  std::string value;
  const auto read = [&](Section& section) {
    if (const auto field = section.field("hashfile", {"file"})) value = *field->scalar("");
  };
  EXPECT_THAT(problems_of("file: x\n", read), IsEmpty());
  EXPECT_EQ(value, "x");
  EXPECT_THAT(problems_of("file: x\nhashfile: y\n", read),
              ElementsAre("f:1:1: s.file: another name of 'hashfile', which is given in line 2"));
}

TEST(Section, IsAMap) {
  EXPECT_THAT(problems_of("[1]", [](Section&) {}),
              ElementsAre("f:1:1: s: is a list; allowed: a map of settings"));
  EXPECT_THAT(problems_of("x", [](Section&) {}),
              ElementsAre("f:1:1: s: is a single value; allowed: a map of settings"));
}

TEST(Section, QuotesSafely) {
  std::chrono::seconds value(0);
  const auto read = [&](Section& section) {
    section.duration<std::chrono::seconds>("k", value, {{}, std::chrono::hours(1)});
  };
  EXPECT_THAT(problems_of("k: \"\\e[2J\\n\"", read),
              ElementsAre(::testing::StartsWith("f:1:4: s.k: '\\x1b[2J\\x0a' is not a duration")));
  EXPECT_THAT(
      problems_of("k: " + std::string(1000, 'x'), read),
      ElementsAre(::testing::StartsWith("f:1:4: s.k: '" + std::string(64, 'x') + "...' is")));
}

}  // namespace
}  // namespace shingled::config
