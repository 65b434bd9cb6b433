#include "milter/transfer/hash_line.h"

#include <gmock/gmock.h>

#include <limits>

#include "config/base/hex.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::milter::transfer {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kNow = 1'700'000'000;
const std::string kDigest(128, 'a');

storage::sqlite::FuzzyRow random_row(storage::engine::Seeded& random) {
  storage::sqlite::FuzzyRow row;
  row.digest = storage::engine::random_digest(random);
  if (random() % 3 != 0) row.shingles = storage::engine::random_shingles(random);
  for (std::uint64_t lists = random() % storage::kFlagsMax + 1; lists > 0; --lists) {
    row.flags.add({static_cast<std::uint32_t>(random()), static_cast<std::int32_t>(random())});
  }
  row.updated = static_cast<std::uint32_t>(random() % 1000 + kNow);
  row.created = kNow - static_cast<std::uint32_t>(random() % 1000);
  row.source = random();
  return row;
}

TEST(HashLine, WhatIsWrittenIsRead) {
  storage::engine::Seeded random(3);
  for (int i = 0; i < 500; ++i) {
    const storage::sqlite::FuzzyRow row = random_row(random);
    std::string line;
    append_hash_line(line, row);
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    const auto read = parse_hash_line(line, kNow);
    ASSERT_TRUE(read) << read.error().message << '\n' << line;
    ASSERT_EQ(read->row, row);
  }
  const auto header = parse_hash_line(hash_lines_header(42), kNow);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->row);
  EXPECT_EQ(header->announced, 42U);
}

TEST(HashLine, IsWrittenAsDocumented) {
  storage::sqlite::FuzzyRow row;
  row.digest.bytes.fill(0xaa);
  row.flags.add({11, 20});
  row.flags.add({4'294'967'295, std::numeric_limits<std::int32_t>::min()});
  row.updated = 1'700'000'100;
  row.created = 1'700'000'000;
  row.source = std::numeric_limits<std::uint64_t>::max();
  std::string line;
  append_hash_line(line, row);
  EXPECT_EQ(line,
            R"({"digest":")" + kDigest +
                R"(","flags":[{"flag":11,"value":20},{"flag":4294967295,"value":-2147483648}],)"
                R"("time":1700000100,"created":1700000000,"source":"18446744073709551615",)"
                "\"shingles\":null}\n");
}

TEST(HashLine, TimesSourceAndShinglesMayBeAbsent) {
  const auto line =
      parse_hash_line(R"({"flags":[{"value":1,"flag":1}],"digest":")" + kDigest + "\"}\r\n", kNow);
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(std::tuple(line->row->updated, line->row->created, line->row->source),
            std::tuple(kNow, kNow, 0U));
  EXPECT_FALSE(line->row->shingles);
}

TEST(HashLine, OddTimesCostNoHash) {
  const struct {
    const char* times;
    std::uint32_t created;
    std::uint32_t updated;
  } cases[] = {
      {R"("time":5,"created":6)", 6, 6},
      {R"("time":0,"created":0)", kNow, kNow},
      {R"("time":4294967295,"created":6)", 6, kNow + 86'400},
  };
  for (const auto& c : cases) {
    const auto line = parse_hash_line(
        R"({"flags":[{"value":1,"flag":1}],"digest":")" + kDigest + "\"," + c.times + "}", kNow);
    ASSERT_TRUE(line) << c.times << line.error().message;
    EXPECT_EQ(line->row->created, c.created) << c.times;
    EXPECT_EQ(line->row->updated, c.updated) << c.times;
  }
}

TEST(HashLine, SaysWhatIsWrong) {
  struct Case {
    std::string line;
    const char* reason;
  };
  const std::string digest = R"("digest":")" + kDigest + "\"";
  const std::string flags = R"("flags":[{"flag":1,"value":1}])";
  const auto with = [&](const std::string& more) {
    return "{" + digest + "," + flags + "," + more + "}";
  };
  const auto with_flags = [&](const std::string& lists) {
    return "{" + digest + ",\"flags\":" + lists + "}";
  };
  std::string shingles = "[";
  for (int i = 0; i < 31; ++i) shingles += "\"1\",";
  const Case cases[] = {
      {"", "not a JSON object"},
      {"{", "not a JSON object"},
      {"[]", "not a JSON object"},
      {with("\"x\":1").substr(0, 100), "not a JSON object"},
      {"\xff\xfe", "not a JSON object"},
      {std::string(60'000, '['), "not a JSON object"},
      {"{" + flags + "}", "\"digest\" is missing"},
      {"{" + digest + "}", "\"flags\" is missing"},
      {R"({"digest":"ab",)" + flags + "}", "128 hexadecimal digits"},
      {R"({"digest":12,)" + flags + "}", "128 hexadecimal digits"},
      {with_flags("[]"), "1 to 8"},
      {with_flags("{}"), "1 to 8"},
      {with_flags(R"([{"flag":1}])"), "1 to 8"},
      {with_flags(R"([{"flag":1,"value":1,"more":1}])"), "1 to 8"},
      {with_flags(R"([{"flag":1,"value":1},{"flag":1,"value":2}])"), "each flag once"},
      {with_flags(R"([{"flag":-1,"value":1}])"), "0 to 4294967295"},
      {with_flags(R"([{"flag":4294967296,"value":1}])"), "0 to 4294967295"},
      {with_flags(R"([{"flag":1,"value":2147483648}])"), "2147483647"},
      {with_flags(R"([{"flag":1,"value":-2147483649}])"), "2147483647"},
      {with_flags(R"([{"flag":1,"value":1.5}])"), "2147483647"},
      {with_flags(R"([{"flag":1,"value":1e300}])"), "2147483647"},
      {with(R"("time":"1700000000")"), "Unix seconds"},
      {with(R"("time":4294967296)"), "Unix seconds"},
      {with(R"("source":"18446744073709551616")"), "decimal string"},
      {with(R"("source":"-1")"), "decimal string"},
      {with(R"("source":"")"), "decimal string"},
      {with("\"shingles\":" + shingles + "\"x\"]"), "32 decimal strings"},
      {with("\"shingles\":" + shingles.substr(0, shingles.size() - 1) + "]"), "32 decimal strings"},
      {with(R"("shingels":null)"), "\"shingels\" is not a key"},
      {R"({"format":"something","version":1})", "not the header"},
      {R"({"format":"shingled-hashes"})", "not the header"},
      {R"({"format":"shingled-hashes","version":1,"hashes":-1})", "a count"},
  };
  for (const Case& c : cases) {
    const auto line = parse_hash_line(c.line, kNow);
    ASSERT_FALSE(line) << c.line;
    EXPECT_EQ(line.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(line.error().message, HasSubstr(c.reason)) << c.line;
  }
  const auto newer = parse_hash_line(R"({"format":"shingled-hashes","version":2})", kNow);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace shingled::milter::transfer
