#include "mime/pieces/part_pieces.h"

#include <gtest/gtest.h>

#include <string>

#include "config/base/hex.h"
#include "mime/fingerprint/digests.h"

namespace shingled::mime {
namespace {

const HashRule& rule() {
  static const HashRule made;
  return made;
}

/// "attachment_name=a.pdf" of each piece; digests by their first letters.
std::string text_of(PieceList& pieces) {
  std::string out;
  for (const Piece& piece : pieces.take()) {
    const bool digest = piece.first.size() == 2 * kDigestBytes;
    out += (out.empty() ? "" : " ") + std::string(to_string(piece.type)) + "=" +
           (digest ? piece.first.substr(0, 8) : piece.first);
  }
  return out;
}

std::string letter(int i) { return {static_cast<char>('a' + i % 26)}; }

std::string checksum(std::string_view bytes) {
  return to_hex(fingerprint::data_digest(bytes).bytes).substr(0, 8);
}

constexpr std::string_view kHead =
    "From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n";

std::string part(std::string_view fields, std::string_view body) {
  return "--x\n" + std::string(fields) + "\n\n" + std::string(body) + "\n";
}

std::string attachments_of(const std::string& message, const PieceOptions& options = {},
                           bool hashed = false, Steps steps = UINT64_MAX) {
  const Analysis analysis = analyze(message, {});
  PieceList pieces(options);
  WorkMeter meter(steps);
  std::vector<PartHash> hashes;
  if (hashed) hashes = hash_message(analysis, rule());
  add_attachment_pieces(
      analysis, hashes, options, [] { return false; }, meter, pieces);
  return text_of(pieces);
}

// A zip of "c/a1.exe", a program, and "b.png", a picture.
constexpr std::string_view kZip =
    "UEsDBBQAAAAAAAAAIVwAAAAAAAAAAAAAAAACAAAAYy9QSwMEFAAAAAAAAAAhXCLlRZkKAAAACgAA\n"
    "AAgAAABjL2ExLmV4ZU1aIHByb2dyYW1QSwMEFAAAAAAAAAAhXKQJB3oIAAAACAAAAAUAAABiLnBu\n"
    "Z4lQTkcNChoKUEsBAhQDFAAAAAAAAAAhXAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAAAIABAAAAAGMv\n"
    "UEsBAhQDFAAAAAAAAAAhXCLlRZkKAAAACgAAAAgAAAAAAAAAAAAAAIABIAAAAGMvYTEuZXhlUEsB\n"
    "AhQDFAAAAAAAAAAhXKQJB3oIAAAACAAAAAUAAAAAAAAAAAAAAIABUAAAAGIucG5nUEsFBgAAAAAD\n"
    "AAMAmQAAAHsAAAAAAA==\n";

TEST(PartPieces, NameTheAttachments) {
  const std::string message =
      std::string(kHead) + part("Content-Type: text/plain", "hello") +
      part(
          "Content-Type: application/octet-stream; name=\"Invoice_17.PDF\"\n"
          "Content-Disposition: attachment",
          "MZ program") +
      part("Content-Type: text/html; name=page.htm\nContent-Disposition: attachment", "<p>x</p>") +
      part("Content-Type: image/png", "\x89PNG\r\n\x1A\nxyz") + "--x--\n";
  const std::string expected =
      "attachment_name=invoice_00.pdf attachment_name=page.htm "
      "attachment_kind=- image/png attachment_kind=htm text/html "
      "attachment_kind=pdf application/x-dosexec ";
  const std::string program = checksum("MZ program\n");
  const std::string page = checksum("<p>x</p>\n");
  const std::string files = program < page ? "attachment=" + program + " attachment=" + page
                                           : "attachment=" + page + " attachment=" + program;
  const std::string image = " image=" + checksum("\x89PNG\r\n\x1A\nxyz\n");
  EXPECT_EQ(attachments_of(message), expected + files + image);
  EXPECT_EQ(attachments_of(message, {}, true), expected + files + image)
      << "with the hashes of the message";
}

TEST(PartPieces, NameTheFilesInContainers) {
  const std::string message = std::string(kHead) +
                              part(
                                  "Content-Type: application/zip; name=a.zip\n"
                                  "Content-Transfer-Encoding: base64",
                                  kZip) +
                              "--x--\n";
  const std::string names = attachments_of(message);
  EXPECT_NE(names.find("attachment_name=a.zip attachment_name=a0.exe attachment_name=b.png"),
            std::string::npos)
      << names;
  EXPECT_NE(names.find("attachment_kind=exe application/x-dosexec"), std::string::npos) << names;
  EXPECT_NE(names.find("attachment=" + checksum("MZ program")), std::string::npos) << names;
  EXPECT_NE(names.find("image=" + checksum("\x89PNG\r\n\x1A\n")), std::string::npos) << names;
  PieceOptions closed;
  closed.containers.open = false;
  EXPECT_EQ(attachments_of(message, closed).find("a0.exe"), std::string::npos);
}

TEST(PartPieces, HaveTheLinksAtTheEndOfAPictureInAnyCharset) {
  const std::string cyrillic(50'000, '\xEF');
  const std::string message =
      std::string(kHead) +
      part("Content-Type: image/svg+xml; charset=windows-1251; name=a.svg",
           "<svg><text>" + cyrillic + "</text><a href=\"http://example.org/last\"/></svg>") +
      "--x--\n";
  EXPECT_NE(attachments_of(message).find("http://example.org/last"), std::string::npos);
}

TEST(PartPieces, StopAtTheirBounds) {
  std::string message(kHead);
  for (int i = 0; i < 20; ++i) {
    message += part("Content-Disposition: attachment; filename=" + letter(i) +
                        ".bin\nContent-Type: application/x",
                    letter(i));
  }
  message += "--x--\n";
  PieceOptions options;
  options.attachments_max = 2;
  const std::string few = attachments_of(message, options);
  EXPECT_EQ(few.find("c.bin"), std::string::npos) << few;
  EXPECT_EQ(attachments_of(message, {}, false, 1).find("attachment="), std::string::npos);
}

TEST(PartPieces, AreTheHashesOfTexts) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + letter(i) + "x ";
  const std::string message = "Content-Type: text/plain\n\n" + words + "\n";
  const auto hashes = hash_message(analyze(message, {}), rule());
  ASSERT_FALSE(hashes.empty());
  const PieceOptions options;
  PieceList pieces(options);
  add_hash_pieces(hashes, pieces);
  const auto texts = pieces.of_type(PieceType::kText);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0], to_hex(hashes[0].fingerprint.digest.bytes));
}

}  // namespace
}  // namespace shingled::mime
