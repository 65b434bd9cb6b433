// Covers config/base/hex.cpp, config/base/zbase32.cpp: both ways, and the vectors of rspamd.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "config/base/zbase32.h"

namespace shingled {
namespace {

TEST(Hex, IsLowerCaseAndReadsBoth) {
  EXPECT_EQ(to_hex(Bytes{0x00, 0x9f, 0xff}), "009fff");
  EXPECT_EQ(from_hex("009Fff"), (Bytes{0x00, 0x9f, 0xff}));
  EXPECT_EQ(from_hex(""), Bytes{});
}

TEST(Hex, AppendsOneByte) {
  std::string text = "\\x";
  append_hex(text, 0x0a);
  EXPECT_EQ(text, "\\x0a");
}

TEST(Hex, RefusesEverythingElse) {
  for (const char* text : {"0", "0g", "0x", " 00", "00 ", "0\n"}) {
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
  }
}

struct ZbaseCase {
  const char* hex;
  const char* text;
};
// ../shared/vectors/wire.json, "zbase32": what rspamd 3.4 writes.
constexpr ZbaseCase kZbase[] = {
    {"", ""},
    {"00", "yy"},
    {"ff", "98"},
    {"0102", "boyy"},
    {"010203", "boygy"},
    {"74657374313233", "wm3g84fg13cy"},
    {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "yeyroboyfobqyrrbkanaogabxyrnbjcnwefctmyd3ogsbqwd6a8y"},
    {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "999999999999999999999999999999999999999999999999999b"},
};

TEST(Zbase32, AgreesWithRspamd) {
  for (const ZbaseCase& test : kZbase) {
    EXPECT_EQ(to_zbase32(*from_hex(test.hex)), test.text);
    EXPECT_EQ(from_zbase32(test.text), from_hex(test.hex));
  }
}

TEST(Zbase32, AgreesWithTheSharedVectors) {
  std::ifstream in(SHINGLED_SHARED_DIR "/vectors/wire.json");
  if (!in) GTEST_SKIP() << "no ../shared/vectors/wire.json beside the checkout";
  const nlohmann::json vectors = nlohmann::json::parse(in);
  for (const auto& vector : vectors.at("zbase32")) {
    const auto hex = vector.at("hex").get<std::string>();
    EXPECT_EQ(to_zbase32(*from_hex(hex)), vector.at("zbase32").get<std::string>());
  }
  for (const auto& [name, key] : vectors.at("keys").items()) {
    const auto text = key.at("pubkey_zbase32").get<std::string>();
    EXPECT_EQ(to_hex(*from_zbase32(text)), key.at("pubkey_hex").get<std::string>()) << name;
  }
}

TEST(Zbase32, EveryLengthComesBack) {
  Bytes bytes;
  for (std::size_t size = 0; size < 100; ++size) {
    EXPECT_EQ(from_zbase32(to_zbase32(bytes)), bytes);
    bytes.push_back(static_cast<std::uint8_t>(size * 37 + 11));
  }
}

TEST(Zbase32, RefusesWhatNoBytesGive) {
  struct Case {
    const char* why;
    const char* text;
  };
  constexpr Case kCases[] = {{"five bits are no byte", "y"},
                             {"fifteen bits are one byte and seven", "yyy"},
                             {"surplus bits must be zero", "y9"},
                             {"upper case is outside the alphabet", "YY"},
                             {"l is not in it", "ly"},
                             {"nor is a blank", "y y"}};
  for (const Case& test : kCases) EXPECT_EQ(from_zbase32(test.text), std::nullopt) << test.why;
}

}  // namespace
}  // namespace shingled
