#include "milter/transfer/hash_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "milter/view/json.h"
#include "storage/formats/import.h"

namespace shingled::milter::transfer {

namespace {

constexpr const char* kFormat = "shingled-hashes";

Error wrong(std::string_view key, std::string_view must) {
  return {ErrorCode::kInvalid, fmt::format("\"{}\" must be {}", key, must)};
}

/// An integer in the range of the type; floating-point numbers are refused.
template <typename Int>
std::optional<Int> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Int>::max())) return std::nullopt;
    return static_cast<Int>(number);
  }
  if (!value.is_number_integer() || std::is_unsigned_v<Int>) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < static_cast<std::int64_t>(std::numeric_limits<Int>::min())) return std::nullopt;
  return static_cast<Int>(number);
}

/// 64 bits as a decimal string: more than a JSON number keeps in many readers.
std::optional<std::uint64_t> decimal_of(const Json& value) {
  if (!value.is_string()) return integer_of<std::uint64_t>(value);
  return parse_whole<std::uint64_t>(value.get_ref<const std::string&>());
}

Status read_digest(const Json& value, storage::sqlite::FuzzyRow& row) {
  const auto bytes =
      value.is_string() ? from_hex(value.get_ref<const std::string&>()) : std::optional<Bytes>();
  if (!bytes || bytes->size() != kDigestBytes) return wrong("digest", "128 hexadecimal digits");
  std::copy(bytes->begin(), bytes->end(), row.digest.bytes.begin());
  return {};
}

Status read_flags(const Json& value, storage::sqlite::FuzzyRow& row) {
  const auto must = [] {
    return wrong("flags", R"(1 to 8 of {"flag":N,"value":N}, each flag once)");
  };
  if (!value.is_array() || value.empty() || value.size() > storage::kFlagsMax) return must();
  for (const Json& list : value) {
    if (!list.is_object() || list.size() != 2 || !list.contains("flag") || !list.contains("value"))
      return must();
    const auto flag = integer_of<std::uint32_t>(list["flag"]);
    const auto weight = integer_of<std::int32_t>(list["value"]);
    if (!flag) return wrong("flag", "0 to 4294967295");
    if (!weight) return wrong("value", "-2147483648 to 2147483647");
    const std::size_t before = row.flags.size();
    row.flags.add({*flag, *weight});
    if (row.flags.size() == before) return must();
  }
  return {};
}

Status read_shingles(const Json& value, storage::sqlite::FuzzyRow& row) {
  if (value.is_null()) return {};
  const auto must = [] { return wrong("shingles", "null or 32 decimal strings"); };
  if (!value.is_array() || value.size() != kShingleCount) return must();
  Shingles shingles{};
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const auto shingle = decimal_of(value[i]);
    if (!shingle) return must();
    shingles[i] = *shingle;
  }
  row.shingles = shingles;
  return {};
}

Status read_member(const std::string& key, const Json& value, storage::sqlite::FuzzyRow& row) {
  if (key == "digest") return read_digest(value, row);
  if (key == "flags") return read_flags(value, row);
  if (key == "shingles") return read_shingles(value, row);
  if (key == "source") {
    const auto source = decimal_of(value);
    if (!source) return wrong(key, "a decimal string");
    row.source = *source;
    return {};
  }
  if (key != "time" && key != "created") {
    return Error{ErrorCode::kInvalid, fmt::format("\"{}\" is not a key of a hash", key)};
  }
  const auto seconds = integer_of<std::uint32_t>(value);
  if (!seconds) return wrong(key, "Unix seconds, 0 to 4294967295");
  (key == "time" ? row.updated : row.created) = *seconds;
  return {};
}

Result<HashLine> read_header(const Json& object) {
  const std::uint64_t version =
      object.contains("version") ? integer_of<std::uint64_t>(object["version"]).value_or(0) : 0;
  if (object["format"] != kFormat || version == 0) {
    return Error{ErrorCode::kInvalid, "it is not the header of a shingled export"};
  }
  if (version > kHashLinesVersion) {
    return Error{ErrorCode::kLimit, fmt::format("version {} of the format; this program knows {}",
                                                version, kHashLinesVersion)};
  }
  HashLine line;
  if (object.contains("hashes")) {
    line.announced = integer_of<std::uint64_t>(object["hashes"]);
    if (!line.announced) return wrong("hashes", "a count");
  }
  return line;
}

void append_number(std::string& out, std::int64_t number) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}
void append_quoted(std::string& out, std::uint64_t number) {
  fmt::format_to(std::back_inserter(out), "\"{}\"", number);
}

}  // namespace

std::string hash_lines_header(std::optional<std::uint64_t> hashes) {
  if (!hashes) {
    return fmt::format(R"({{"format":"{}","version":{}}})", kFormat, kHashLinesVersion);
  }
  return fmt::format(R"({{"format":"{}","version":{},"hashes":{}}})", kFormat, kHashLinesVersion,
                     *hashes);
}

void append_hash_line(std::string& out, const storage::sqlite::FuzzyRow& row) {
  out += R"({"digest":")";
  out += to_hex(row.digest.bytes);
  out += R"(","flags":[)";
  for (const storage::FlagValue& list : row.flags.all()) {
    out += R"({"flag":)";
    append_number(out, list.flag);
    out += R"(,"value":)";
    append_number(out, list.value);
    out += "},";
  }
  out.back() = ']';
  out += R"(,"time":)";
  append_number(out, row.updated);
  out += R"(,"created":)";
  append_number(out, row.created);
  out += R"(,"source":)";
  append_quoted(out, row.source);
  out += R"(,"shingles":)";
  if (row.shingles) {
    out += '[';
    for (const std::uint64_t shingle : *row.shingles) {
      append_quoted(out, shingle);
      out += ',';
    }
    out.back() = ']';
  } else {
    out += "null";
  }
  out += "}\n";
}

Result<HashLine> parse_hash_line(std::string_view line, std::uint32_t now) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Error{ErrorCode::kInvalid, "it is not a JSON object"};
  if (object.contains("format")) return read_header(object);
  HashLine out;
  storage::sqlite::FuzzyRow& row = out.row.emplace();
  for (const auto& [key, value] : object.items()) {
    if (Status read = read_member(key, value, row); !read) return read.error();
  }
  if (!object.contains("digest")) return Error{ErrorCode::kInvalid, "\"digest\" is missing"};
  if (row.flags.empty()) return Error{ErrorCode::kInvalid, "\"flags\" is missing"};
  // A wrong clock may have left implausible times; the hash is still valid.
  row = storage::formats::with_plausible_times(row, now);
  return out;
}

}  // namespace shingled::milter::transfer
