#include "mime/pieces/wallets.h"

#include <gtest/gtest.h>

#include "mime/pieces/coin_address.h"

namespace shingled::mime {
namespace {

std::string wallets_in(std::string_view text, std::size_t count_max = 100) {
  std::string out;
  for (const std::string& wallet : find_wallets(text, count_max)) {
    out += (out.empty() ? "" : " ") + wallet;
  }
  return out;
}

TEST(Wallets, AreFoundIfTheirCheckDigitsAreRight) {
  struct Case {
    const char* why;
    std::string text;
    std::string expected;
  };
  const Case cases[] = {
      {"the first address of all", "send to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa!",
       "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
      {"one of zeros", "1111111111111111111114oLvT2", "1111111111111111111114oLvT2"},
      {"one 1 too many", "11111111111111111111114oLvT2", ""},
      {"one of a script", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
       "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"},
      {"a wrong letter", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", ""},
      {"the wrong case", "1a1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ""},
      {"part of a word", "x1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ""},
      {"behind a scheme", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1",
       "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
      {"version 0 of BIP 173", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
       "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
      {"version 1 of BIP 350", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
       "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"},
      {"version 1 with the checksum of version 0",
       "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", ""},
      {"mixed case", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4", ""},
      {"a wrong letter of it", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", ""},
      {"the test network", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""},
      {"EIP-55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
      {"EIP-55 again", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
       "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"},
      {"in lower case", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
      {"in capitals", "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
      {"the wrong case of it", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed", ""},
      {"a digit too many", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed1", ""},
      {"a hash of a transaction", "0x" + std::string(64, 'a'), ""},
      {"an IBAN", "IBAN: DE89 3704 0044 0532 0130 00.", "DE89370400440532013000"},
      {"without spaces", "gb82west12345698765432", "GB82WEST12345698765432"},
      {"with hard spaces",
       "NO93\u00A0"
       "8601\u00A0"
       "1117\u00A0"
       "947",
       "NO9386011117947"},
      {"before another word", "DE89370400440532013000 BIC", "DE89370400440532013000"},
      {"wrong check digits", "DE88 3704 0044 0532 0130 00", ""},
      {"too short", "DE89 3704 0044 0532 0130 0", ""},
      {"too long", "DE89 3704 0044 0532 0130 000", ""},
      {"a country without such", "US89 3704 0044 0532 0130 00", ""},
      {"two spaces", "DE89  3704 0044 0532 0130 00", ""},
      {"all kinds, each once",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed DE89370400440532013000 "
       "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa DE89370400440532013000",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed DE89370400440532013000 "
       "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(wallets_in(test.text), test.expected) << test.why;
}

// The table of lengths as the registry prints its examples.
TEST(Wallets, KnowTheExamplesOfTheRegistry) {
  for (const std::string_view iban :
       {"AT611904300234573201",        "BE68539007547034",
        "CH9300762011623852957",       "CZ6508000000192000145399",
        "DK5000400440116243",          "ES9121000418450200051332",
        "FI2112345600000785",          "FR1420041010050500013M02606",
        "GR1601101250000000012300695", "HU42117730161111101800000000",
        "IE29AIBK93115212345678",      "IT60X0542811101000000123456",
        "LT121000011101001000",        "LU280019400644750000",
        "LV80BANK0000435195001",       "MT84MALT011000012345MTLCAST001S",
        "NL91ABNA0417164300",          "PL61109010140000071219812874",
        "PT50000201231234567890154",   "RO49AAAA1B31007593840000",
        "SA0380000000608010167519",    "SE4550000000058398257466",
        "SI56263300012039086",         "SK3112000000198742637541",
        "TR330006100519786457841326",  "UA213223130000026007233566001"}) {
    EXPECT_EQ(leading_iban(iban), iban);
  }
}

TEST(Wallets, OfWrongLengthsAreNone) {
  EXPECT_FALSE(base58_address(""));
  EXPECT_FALSE(base58_address(std::string(kBase58BytesMax, 'z')));
  EXPECT_FALSE(base58_address("3" + std::string(kBase58BytesMax - 1, 'z')));
  EXPECT_FALSE(bech32_address("bc1"));
  EXPECT_FALSE(bech32_address("bc1qqqqqqq"));
  EXPECT_FALSE(bech32_address("bc1" + std::string(kBech32BytesMax, 'q')));
}

TEST(Wallets, EndAtTheBound) {
  EXPECT_EQ(wallets_in("BE68539007547034 DK5000400440116243", 1), "BE68539007547034");
}

}  // namespace
}  // namespace shingled::mime
