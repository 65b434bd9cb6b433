#include "milter/backup/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::backup {

namespace {

constexpr const char* kFormat = "shingled-backup";
constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kSumDigits = 64;
constexpr unsigned kManifestModeBits = 0777;

Json part_json(const StoredPart& part) {
  Json out = {{"name", part.name}, {"kind", part.kind}, {"file", part.file}, {"path", part.path}};
  out["mode"] = fmt::format("{:04o}", part.mode);
  out["bytes"] = part.bytes;
  if (part.count) out["count"] = *part.count;
  out["sha256"] = part.sha256;
  return out;
}

/// Reads members and remembers the first one that is wrong.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  std::string text(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_string()) return found->get<std::string>();
    return wrong(name), "";
  }
  std::uint64_t number(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_number_unsigned()) return found->get<std::uint64_t>();
    return wrong(name), 0;
  }
  bool flag(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_boolean()) return found->get<bool>();
    return wrong(name), false;
  }
  const Json& list(const char* name) {
    static const Json none = Json::array();
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_array() && found->size() <= Manifest::kPartsMax)
      return *found;
    return wrong(name), none;
  }
  void wrong(const char* name) {
    if (wrong_.empty()) wrong_ = name;
  }
  [[nodiscard]] Status status() const {
    if (wrong_.empty()) return {};
    return Error{ErrorCode::kCorrupt, "\"" + wrong_ + "\" is missing or wrong"};
  }

 private:
  const Json& object_;
  std::string wrong_;
};

/// Whether it names a file of the folder itself, and not the manifest.
bool is_file_name(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos && name != kManifestName;
}

Result<StoredPart> parse_part(const Json& object) {
  if (!object.is_object()) return Error{ErrorCode::kCorrupt, "a part is not an object"};
  Members members(object);
  StoredPart out;
  out.name = members.text("name");
  out.kind = members.text("kind");
  out.file = members.text("file");
  out.path = members.text("path");
  out.bytes = members.number("bytes");
  if (object.contains("count")) out.count = members.number("count");
  out.sha256 = members.text("sha256");
  const auto sum = from_hex(out.sha256);
  if (!sum || out.sha256.size() != kSumDigits) members.wrong("sha256");
  if (!is_file_name(out.file)) members.wrong("file");
  const std::string mode = members.text("mode");
  if (mode.empty() || mode.size() > 4 || mode.find_first_not_of("01234567") != std::string::npos) {
    members.wrong("mode");
  } else {
    out.mode = static_cast<unsigned>(std::stoul(mode, nullptr, 8)) & kManifestModeBits;
  }
  if (Status whole = members.status(); !whole) return whole.error();
  return out;
}

/// The members beside the lists.
Result<Manifest> parse_head(const Json& object) {
  Members members(object);
  Manifest out;
  out.program = members.text("shingled");
  out.time = WallTime(std::chrono::seconds(members.number("unix_time")));
  out.host = members.text("host");
  out.with_keys = members.flag("with_keys");
  if (object.contains("key_mark")) {
    out.key_mark = storage::counters::parse_mark(members.text("key_mark"));
    if (!out.key_mark) members.wrong("key_mark");
  }
  if (Status whole = members.status(); !whole) return whole.error();
  return out;
}

}  // namespace

const StoredPart* Manifest::find(std::string_view name) const {
  const auto found = std::ranges::find(parts, name, &StoredPart::name);
  return found == parts.end() ? nullptr : &*found;
}

Json manifest_json(const Manifest& manifest) {
  Json out = {{"format", kFormat},
              {"version", Manifest::kVersion},
              {"shingled", manifest.program},
              {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                   fmt::gmtime(manifest.time.time_since_epoch().count()))},
              {"unix_time", unix_seconds(manifest.time)},
              {"host", manifest.host},
              {"with_keys", manifest.with_keys}};
  if (manifest.key_mark) out["key_mark"] = storage::counters::mark_text(*manifest.key_mark);
  out["parts"] = Json::array();
  for (const StoredPart& part : manifest.parts) out["parts"].push_back(part_json(part));
  out["left_out"] = Json::array();
  for (const LeftOut& left : manifest.left_out)
    out["left_out"].push_back(Json{{"what", left.what}, {"why", left.why}});
  return out;
}

std::string manifest_text(const Manifest& manifest) {
  constexpr int kIndent = 2;
  // Paths may have any bytes.
  return manifest_json(manifest).dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Manifest> parse_manifest(std::string_view text) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("format") || object["format"] != kFormat)
    return Error{ErrorCode::kCorrupt, "is not the manifest of a backup"};
  Members members(object);
  const std::uint64_t version = members.number("version");
  if (version > Manifest::kVersion) {
    return Error{ErrorCode::kInvalid,
                 fmt::format("the backup has version {} of the format, made by a newer shingled; "
                             "this one knows version {}",
                             version, Manifest::kVersion)};
  }
  auto out = parse_head(object);
  if (!out) return out;
  for (const Json& one : members.list("parts")) {
    auto part = parse_part(one);
    if (!part) return part.error();
    const auto same_file = std::ranges::find(out->parts, part->file, &StoredPart::file);
    if (out->find(part->name) != nullptr || same_file != out->parts.end())
      return Error{ErrorCode::kCorrupt, "\"parts\": " + part->name + " comes twice"};
    out->parts.push_back(*std::move(part));
  }
  for (const Json& one : members.list("left_out")) {
    if (!one.is_object()) return Error{ErrorCode::kCorrupt, "\"left_out\" is wrong"};
    Members left(one);
    out->left_out.push_back({left.text("what"), left.text("why")});
    if (Status whole = left.status(); !whole) return whole.error();
  }
  if (Status whole = members.status(); !whole) return whole.error();
  return out;
}

}  // namespace shingled::milter::backup
