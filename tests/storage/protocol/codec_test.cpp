#include "storage/protocol/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/wire_vectors.h"

namespace shingled::storage::protocol {
namespace {

using testing::bytes_of;
using testing::wire_vectors;

Bytes encoded(const Command& command) {
  Bytes out(kCommandBytesMax);
  out.resize(encode_command(command, out));
  return out;
}

Bytes encoded(const Reply& reply, ReplyForm form) {
  Bytes out(kReplyBytesMax);
  out.resize(encode_reply(reply, form, out));
  return out;
}

Bytes command_with(std::uint8_t version, const Bytes& extensions) {
  Command command;
  command.version = version;
  command.extensions = extensions;
  return encoded(command);
}

// ---- recorded packets
// ----------------------------------------------------------------------------

void expect_request_survives(const nlohmann::json& packet) {
  const Bytes plain = bytes_of(packet.at("plaintext_hex"));
  const nlohmann::json& expected = packet.at("decoded");
  const auto command = decode_command(plain);
  ASSERT_TRUE(command) << packet.dump();
  EXPECT_EQ(command->version, expected.at("version").get<int>());
  EXPECT_EQ(static_cast<int>(command->code), expected.at("cmd").get<int>());
  EXPECT_EQ(command->shingle_count, expected.at("shingles_count").get<int>());
  EXPECT_EQ(command->flag, expected.at("flag").get<int>());
  EXPECT_EQ(command->value, expected.at("value").get<std::int32_t>());
  EXPECT_EQ(command->tag, expected.at("tag").get<std::uint32_t>());
  EXPECT_EQ(to_hex(command->digest.bytes), expected.at("digest_hex").get<std::string>());
  ExtensionReader reader(command->extensions);
  for (const nlohmann::json& extension : expected.value("extensions", nlohmann::json::array())) {
    const auto read = reader.next();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->type, extension.at("type").get<int>());
    EXPECT_EQ(to_hex(read->payload), extension.at("payload_hex").get<std::string>());
  }
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(encoded(*command), plain);
}

void expect_reply_survives(const nlohmann::json& packet) {
  const Bytes plain = bytes_of(packet.at("plaintext_hex"));
  const nlohmann::json& expected = packet.at("decoded");
  const auto reply = decode_reply(plain);
  ASSERT_TRUE(reply) << packet.dump();
  EXPECT_EQ(reply->value, expected.at("value").get<std::int32_t>());
  EXPECT_EQ(reply->flag, expected.at("flag").get<std::uint32_t>());
  EXPECT_EQ(reply->tag, expected.at("tag").get<std::uint32_t>());
  EXPECT_FLOAT_EQ(reply->probability, expected.at("prob").get<float>());
  EXPECT_EQ(encoded(*reply, static_cast<ReplyForm>(plain.size())), plain);
}

TEST(Codec, AgreesWithEveryRecordedPacket) {
  SHINGLED_NEED_WIRE_VECTORS();
  for (const char* list : {"packets", "client_captures"}) {
    for (const nlohmann::json& packet : wire_vectors()->at(list)) {
      SCOPED_TRACE(packet.value("name", packet.at("packet_hex").get<std::string>()));
      if (packet.at("direction") == "request") {
        expect_request_survives(packet);
      } else {
        expect_reply_survives(packet);
      }
    }
  }
}

// ---- commands
// -------------------------------------------------------------------------------------

TEST(Codec, TakesTheReplyFormFromTheVersionByte) {
  struct Case {
    std::uint8_t version;
    ReplyForm form;
  };
  constexpr Case kCases[] = {
      {0x03, ReplyForm::kShort}, {0x13, ReplyForm::kShort}, {0x83, ReplyForm::kShort},
      {0x04, ReplyForm::kV1},    {0x24, ReplyForm::kV1},    {0x84, ReplyForm::kV1},
      {0x14, ReplyForm::kV2},    {0x94, ReplyForm::kV2},    {0x05, ReplyForm::kV2},
      {0x15, ReplyForm::kV2},    {0xf5, ReplyForm::kV2},
  };
  for (const Case& c : kCases) {
    EXPECT_TRUE(decode_command(command_with(c.version, {}))) << int{c.version};
    EXPECT_EQ(reply_form(c.version), c.form) << int{c.version};
  }
}

TEST(Codec, RefusesOtherVersions) {
  for (int version = 0; version < 256; ++version) {
    const int nibble = version & 0x0f;
    EXPECT_EQ(decode_command(command_with(static_cast<std::uint8_t>(version), {})).has_value(),
              nibble >= 3 && nibble <= 5)
        << version;
  }
}

TEST(Codec, ReadsAnyShingleCountAsThirtyTwo) {
  for (const std::uint8_t count : std::initializer_list<std::uint8_t>{1, 5, 32, 255}) {
    Command command;
    command.shingle_count = count;
    command.shingles[31] = 0x0123456789abcdef;
    const Bytes packet = encoded(command);
    EXPECT_EQ(packet.size(), 332U);
    const auto decoded = decode_command(packet);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->shingles[31], 0x0123456789abcdefU);
    EXPECT_NE(decoded->shingles_or_null(), nullptr);
  }
}

TEST(Codec, RefusesEveryTruncation) {
  const Bytes extensions = {0x64, 3, 'a', 'b', 'c', 0x34, 1, 2, 3, 4, 0x81, 1, 0};
  Command command;
  command.shingle_count = 32;
  command.extensions = extensions;
  const Bytes packet = encoded(command);
  // A command that is cut at the end of an extension is a valid command.
  const std::vector<std::size_t> whole = {332, 332 + 5, 332 + 10, packet.size()};
  for (std::size_t length = 0; length <= packet.size(); ++length) {
    const bool is_whole = std::find(whole.begin(), whole.end(), length) != whole.end();
    EXPECT_EQ(decode_command(BytesView(packet).first(length)).has_value(), is_whole) << length;
  }
}

TEST(Codec, RefusesAnythingAfterAVersion3Command) {
  for (const std::uint8_t count : std::initializer_list<std::uint8_t>{0, 32}) {
    Command command;
    command.version = kVersionShort;
    command.shingle_count = count;
    Bytes packet = encoded(command);
    EXPECT_TRUE(decode_command(packet));
    packet.push_back(0);
    EXPECT_FALSE(decode_command(packet));
  }
}

TEST(Codec, RefusesMalformedExtensions) {
  struct Case {
    const char* why;
    Bytes extensions;
    bool valid;
  };
  const Case cases[] = {
      {"a domain may be empty", {0x64, 0}, true},
      {"a domain needs its length", {0x64}, false},
      {"a domain needs all its bytes", {0x64, 2, 'a'}, false},
      {"an unknown type below 0x80 has no known length", {0x78, 1, 'a'}, false},
      {"a type of 0 has no known length", {0}, false},
      {"sender facts are four bytes", {0x80, 4, 0, 0, 6, 8}, true},
      {"sender facts of five bytes", {0x80, 5, 0, 0, 6, 8, 0}, false},
      {"sender facts of zero bytes", {0x80, 0}, false},
      {"unknown types from 0x81 on are skipped", {0x81, 1, 7, 0xff, 0}, true},
      {"an unknown type needs all its bytes", {0x81, 2, 7}, false},
      {"any order, any number", {0x34, 1, 2, 3, 4, 0x64, 0, 0x34, 1, 2, 3, 4}, true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(decode_command(command_with(kVersionLong, c.extensions)).has_value(), c.valid)
        << c.why;
  }
}

TEST(Codec, WritesNothingIntoABufferThatIsTooSmall) {
  Command command;
  std::array<std::uint8_t, kCommandBytes - 1> small{};
  EXPECT_EQ(encode_command(command, small), 0U);
  for (const ReplyForm form : {ReplyForm::kShort, ReplyForm::kV1, ReplyForm::kV2}) {
    Bytes out(size_of(form) - 1);
    EXPECT_EQ(encode_reply(Reply{}, form, out), 0U);
  }
}

// ---- replies
// --------------------------------------------------------------------------------------

Reply full_reply() {
  Reply reply;
  reply.value = -7;
  reply.flag = 50;
  reply.tag = 0xdeadbeef;
  reply.probability = 0.75F;
  reply.digest.bytes.fill(0xaa);
  reply.time = 1'700'000'000;
  reply.matched = true;
  reply.extra_count = 2;
  reply.extra[0] = {51, 4};
  reply.extra[1] = {52, -1};
  return reply;
}

TEST(Codec, PutsTheMatchedBitInThePlaceOfEachForm) {
  const Bytes v1 = encoded(full_reply(), ReplyForm::kV1);
  EXPECT_EQ(v1[84], 1);
  const Bytes v2 = encoded(full_reply(), ReplyForm::kV2);
  EXPECT_EQ(v2[84], 2);
  EXPECT_EQ(v2[85], 1);
  EXPECT_EQ(decode_reply(v2), full_reply());
}

TEST(Codec, ZeroesTheUnusedBytesOfAReply) {
  Reply reply = full_reply();
  reply.extra[5] = {99, 99};  // extra flag beyond the count
  const Bytes v2 = encoded(reply, ReplyForm::kV2);
  EXPECT_TRUE(std::all_of(v2.begin() + 88 + 16, v2.end(), [](std::uint8_t b) { return b == 0; }));
}

TEST(Codec, IgnoresOldDataBehindTheExtraFlags) {
  Bytes v2 = encoded(full_reply(), ReplyForm::kV2);
  v2[88 + 16] = 0x55;
  EXPECT_EQ(decode_reply(v2), full_reply());
  v2[84] = 200;  // more flags than a reply can have
  EXPECT_EQ(decode_reply(v2)->extra_count, kExtraFlagsMax);
}

TEST(Codec, RefusesRepliesOfAnyOtherLength) {
  for (std::size_t length = 0; length <= 200; ++length) {
    EXPECT_EQ(decode_reply(Bytes(length)).has_value(),
              length == 16 || length == 96 || length == 144)
        << length;
  }
}

}  // namespace
}  // namespace shingled::storage::protocol
