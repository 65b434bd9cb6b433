#include "mime/attachment/archive_shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

/// A member's entry in the central directory of a zip file.
std::string zip_entry(std::string_view name, std::uint64_t name_bytes) {
  return "PK\x01\x02"s + std::string(24, '\0') + number(name_bytes, 2) + std::string(16, '\0') +
         std::string(name);
}

std::string zip_end(std::uint64_t size, std::uint64_t begin, std::string_view comment = {}) {
  return "PK\x05\x06"s + std::string(8, '\0') + number(size, 4) + number(begin, 4) +
         number(comment.size(), 2) + std::string(comment);
}

constexpr std::string_view kZip = "PK\x03\x04member";
constexpr std::string_view kRar4 = "Rar!\x1a\x07\x00"sv;
constexpr std::string_view kRar5 = "Rar!\x1a\x07\x01\x00"sv;

std::string rar4_block(char type, std::uint64_t flags, std::string_view fields,
                       std::string_view data = {}) {
  const std::uint64_t size = 11 + fields.size();
  return "cr"s + type + number(flags | 0x8000U, 2) + number(size, 2) + number(data.size(), 4) +
         std::string(fields) + std::string(data);
}

std::string rar4_file(std::string_view name) {
  return rar4_block(
      '\x74', 0,
      std::string(15, '\0') + number(name.size(), 2) + std::string(4, '\0') + std::string(name),
      "data");
}

const std::string kRar4Main = "cr\x73"s + number(0, 2) + number(13, 2) + std::string(6, '\0');

/// Every number is below 128, so that it is one byte.
std::string rar5_block(char type, std::string_view fields, std::string_view data = {}) {
  const std::string head = std::string(1, type) + '\x02' + static_cast<char>(data.size());
  return "crc4"s + static_cast<char>(head.size() + fields.size()) + head + std::string(fields) +
         std::string(data);
}

std::string rar5_file(std::string_view name) {
  return rar5_block(
      '\x02', std::string(5, '\0') + static_cast<char>(name.size()) + std::string(name), "data");
}

const std::string kRar5Main = rar5_block('\x01', "\0"sv);

std::string seven_zip(std::uint64_t header_at) {
  return "7z\xbc\xaf\x27\x1c\0\4"s + "crc4" + number(header_at, 8) + number(2, 8) + "crc4" +
         "data" + "\x01\x00"s;
}

std::string gzip(char flags, std::string_view rest) {
  return "\x1f\x8b\x08"s + flags + std::string(6, '\0') + std::string(rest);
}

struct Case {
  std::string_view why, subtype, file_name;
  std::string body;
  bool listable;
};

// What /usr/bin/rspamd 3.4 takes of each; ten more of a kind were asked when this was written.
TEST(ArchiveShape, IsListableAsFarAsRspamdReads) {
  const std::string zip = std::string(kZip) + zip_entry("name", 4);
  const auto zip_with = [&zip](std::string_view comment) {
    return zip + zip_end(50, kZip.size(), comment);
  };
  const std::string rar4 = std::string(kRar4) + kRar4Main + rar4_file("name");
  const std::string rar5 = std::string(kRar5) + kRar5Main + rar5_file("name");
  const Case kCases[] = {
      {"a zip file", "zip", "", zip_with(""), true},
      {"with a comment", "zip", "", zip_with(std::string(1024, 'c')), true},
      {"that is too long", "zip", "", zip_with(std::string(1025, 'c')), false},
      {"with bytes behind it", "zip", "", zip_with("") + "rest", true},
      {"cut off", "zip", "", zip_with("").substr(0, zip_with("").size() - 1), false},
      {"without an end", "zip", "", zip, false},
      {"without members", "zip", "", std::string(kZip) + zip_end(0, 0), true},
      {"a directory beyond its end", "zip", "", zip + zip_end(51, kZip.size()), false},
      {"a directory that wraps", "zip", "", zip + zip_end(0x20, 0xfffffff0), false},
      {"that begins elsewhere", "zip", "", zip + zip_end(49, kZip.size() + 1), false},
      {"a name beyond the end", "zip", "",
       std::string(kZip) + zip_entry("name", 60'000) + zip_end(50, kZip.size()), false},
      {"only a signature", "zip", "", "PK\x03\x04", false},
      {"a rar file", "x-rar", "", rar4, true},
      {"cut off", "x-rar", "", rar4.substr(0, rar4.size() - 1), false},
      {"with bytes behind it", "x-rar", "", rar4 + "x", false},
      {"a file without a name", "x-rar", "", std::string(kRar4) + kRar4Main + rar4_file(""), false},
      {"encrypted", "x-rar", "",
       std::string(kRar4) + "cr\x73" + number(0x80, 2) + number(13, 2) + "junk", true},
      {"a block of no size", "x-rar", "",
       std::string(kRar4) + "cr\x73" + number(0, 2) + number(0, 2) + "junk", false},
      {"only a signature", "x-rar", "", std::string(kRar4), false},
      {"a rar 5 file", "x-rar", "", rar5, true},
      {"cut off", "x-rar", "", rar5.substr(0, rar5.size() - 1), false},
      {"with bytes behind it", "x-rar", "", rar5 + "xyz", false},
      {"a file without a name", "x-rar", "", std::string(kRar5) + kRar5Main + rar5_file(""), false},
      {"without its main header", "x-rar", "", std::string(kRar5) + rar5_file("name"), false},
      {"encrypted", "x-rar", "", std::string(kRar5) + rar5_block('\x04', "secret"), true},
      {"only a signature", "x-rar", "", std::string(kRar5), false},
      {"a 7z file", "x-7z-compressed", "", seven_zip(4), true},
      {"whose header is beyond its end", "x-7z-compressed", "", seven_zip(6), false},
      {"or far beyond", "x-7z-compressed", "", seven_zip(1ULL << 63U), false},
      {"only a signature", "x-7z-compressed", "", seven_zip(0).substr(0, 32), false},
      {"a gzip file with a name", "gzip", "", gzip('\x08', "name\0data"sv), true},
      {"that does not end", "gzip", "", gzip('\x08', "name"), false},
      {"an empty name", "gzip", "", gzip('\x08', "\0data"sv), false},
      {"up to the next zero", "gzip", "", gzip('\x08', "\0name\0"sv), true},
      {"behind more fields", "gzip", "", gzip('\x0c', "\3\0abcname\0data"sv), true},
      {"that are too long", "gzip", "",
       gzip('\x0c',
            "\xff\xff"
            "abcname\0data"sv),
       false},
      {"without a name", "gzip", "", gzip('\0', "data"), false},
      {"or one of the part", "gzip", "x", gzip('\0', "data"), false},
      {"that says what is inside", "gzip", "x.gz", gzip('\0', "data"), true},
      {"only a header", "gzip", "x.gz", gzip('\0', ""), false},
  };
  for (const Case& c : kCases) {
    WorkMeter meter(UINT64_MAX);
    EXPECT_EQ(is_listable_archive(c.body, c.subtype, c.file_name, meter), c.listable)
        << c.subtype << ": " << c.why;
  }
}

TEST(ArchiveShape, PaysForEachMemberAndBlock) {
  std::string zip(kZip);
  for (int i = 0; i < 1000; ++i) zip += zip_entry("name", 4);
  zip += zip_end(50'000, kZip.size());
  std::string rar(kRar4);
  for (int i = 0; i < 1000; ++i) rar += rar4_file("name");
  for (const auto& [body, subtype] : {std::pair(zip, "zip"sv), std::pair(rar, "x-rar"sv)}) {
    WorkMeter enough(100'000);
    EXPECT_TRUE(is_listable_archive(body, subtype, "", enough)) << subtype;
    WorkMeter less(1000);
    EXPECT_FALSE(is_listable_archive(body, subtype, "", less)) << subtype;
    EXPECT_TRUE(less.refused()) << subtype;
  }
}

}  // namespace
}  // namespace shingled::mime
