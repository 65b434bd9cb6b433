#include "mime/cms/signed_data.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/mime/cms/cms_builder.h"

namespace shingled::mime {
namespace {

using shingled::testing::element;
using shingled::testing::Lengths;
using shingled::testing::pkcs7_type;
using shingled::testing::signed_around;
using shingled::testing::signed_data;
using Kind = SignedData::Kind;
using namespace std::string_literals;

constexpr auto kIndefinite = Lengths::kIndefinite;

std::string nested_octets(std::size_t levels) {
  std::string out = element(0x04, "x");
  for (std::size_t i = 0; i < levels; ++i) out = element(0x24, out, kIndefinite);
  return out;
}

TEST(SignedData, IsReadAsProgramsWriteIt) {
  struct Case {
    std::string cms;
    Kind kind;
    std::string content;
    std::string why;
  };
  const std::string whole = signed_data("Hello");
  const std::string pieces = element(0x04, "He") + element(0x04, "") + element(0x04, "llo");
  const std::vector<Case> cases = {
      {whole, Kind::kSigned, "Hello", "DER"},
      {signed_data("Hello", kIndefinite), Kind::kSigned, "Hello", "BER without lengths"},
      {signed_around(element(0x24, pieces, kIndefinite), kIndefinite), Kind::kSigned, "Hello",
       "in pieces, as a stream is signed"},
      {signed_around(element(0x24, pieces)), Kind::kSigned, "Hello", "pieces with a length"},
      {signed_around(element(0x24, element(0x24, pieces, kIndefinite) + element(0x04, "!"))),
       Kind::kSigned, "Hello!", "an end mark inside a length"},
      {signed_around(element(0x24, element(0x24, pieces) + element(0x04, "!"), kIndefinite)),
       Kind::kSigned, "Hello!", "a length inside an end mark"},
      {whole + "\r\nfooter", Kind::kSigned, "Hello", "a list added a footer"},
      {signed_data(""), Kind::kSigned, "", "nothing was signed"},
      {signed_around(nested_octets(kOctetStringDepthMax)), Kind::kSigned, "x",
       "as deep as allowed"},
      {signed_around(nested_octets(kOctetStringDepthMax + 1)), Kind::kBroken, "", "deeper"},
      {whole.substr(0, whole.size() - 1), Kind::kBroken, "", "cut off"},
      {whole.substr(0, 20), Kind::kBroken, "", "cut off at its beginning"},
      {signed_around(element(0x0c, "Hello")), Kind::kBroken, "", "a text, not octets"},
      {signed_around(element(0x24, element(0x0c, "Hello"))), Kind::kBroken, "", "pieces of text"},
      {signed_around("\x24\x80\x04\x05Hello"), Kind::kBroken, "", "no end mark"},
      {signed_around("\x24\x03\x04\x05Hello"), Kind::kBroken, "", "a piece longer than the whole"},
      {signed_around("\x04\x80Hello"s), Kind::kBroken, "", "octets without a length"},
      {signed_around(element(0x04, "Hello"), Lengths::kDefinite, 2), Kind::kOther, "",
       "signed without a MIME entity between, which no program shows"},
      {element(0x30, pkcs7_type(3) + element(0xa0, element(0x30, ""))), Kind::kOther, "",
       "encrypted"},
      {"-----BEGIN CMS-----\nMIIB\n", Kind::kOther, "", "PEM is read by no mail program"},
      {"", Kind::kOther, "", "nothing"},
      {"\x30", Kind::kOther, "", "a tag alone"},
      {"\x30\x84\xff\xff\xff\xff", Kind::kOther, "", "a length beyond all"},
      {"%PDF-1.4 is no CMS", Kind::kOther, "", "another file"},
  };
  for (const Case& c : cases) {
    std::string storage;
    const SignedData read = read_signed_data(c.cms, storage);
    EXPECT_EQ(read.kind, c.kind) << c.why;
    EXPECT_EQ(read.content, c.content) << c.why;
  }
}

TEST(SignedData, NeedsNoCopyOfOnePiece) {
  const std::string cms = signed_around(element(0x24, element(0x04, "Hello"), kIndefinite));
  std::string storage;
  EXPECT_EQ(read_signed_data(cms, storage).content, "Hello");
  EXPECT_TRUE(storage.empty());
}

TEST(SignedData, CutAnywhereGivesItAllOrNothing) {
  const std::string octets = element(0x24, element(0x04, "He") + element(0x04, "llo"), kIndefinite);
  for (const std::string& cms : {signed_data("Hello"), signed_around(octets, kIndefinite)}) {
    for (std::size_t size = 0; size < cms.size(); ++size) {
      std::string storage;
      const SignedData read = read_signed_data(std::string_view(cms).substr(0, size), storage);
      EXPECT_TRUE(read.content.empty() || read.content == "Hello") << size;
    }
  }
}

TEST(SignedData, WithoutContentIsNotBroken) {
  // Certificates only, or a signature apart from what was signed.
  for (const Lengths lengths : {Lengths::kDefinite, kIndefinite}) {
    const std::string data = element(0x02, "\x01") + element(0x31, "") +
                             element(0x30, pkcs7_type(1), lengths) + element(0x31, "");
    std::string storage;
    const std::string cms = element(
        0x30, pkcs7_type(2) + element(0xa0, element(0x30, data, lengths), lengths), lengths);
    EXPECT_EQ(read_signed_data(cms, storage).kind, Kind::kOther);
  }
}

}  // namespace
}  // namespace shingled::mime
