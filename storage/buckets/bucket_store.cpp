#include "storage/buckets/bucket_store.h"

#include <algorithm>

#include "config/base/zbase32.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::storage::buckets {

namespace {

constexpr std::size_t kNameBytes = 16;              // of the hash that replaces a long text
constexpr std::size_t kNameChars = 26;              // the hash as text
constexpr std::size_t kMarkChars = 1 + kNameChars;  // '~' and the hash
static_assert(kBucketTypeMax + 1 + kBucketPartMax + 2 + kMarkChars <= kBucketKeyMax,
              "a type, a tag and the hash of the whole must fit");
static_assert(kMarkChars < kBucketTypeMax);

bool stands_for_itself(char c) {
  return c > ' ' && c < '\x7f' && std::string_view("%:{}~").find(c) == std::string_view::npos;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (stands_for_itself(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
  return out;
}

/// `what` is hashed, too, so that the hash of a key never equals the hash of a part.
std::string mark_of(std::string_view what, std::string_view text) {
  const Digest digest = fingerprint::keyed_hash({}, {what, ":", text});
  return "~" + to_zbase32(BytesView(digest.bytes).first(kNameBytes));
}

/// The escaped text; if it is longer than `most`, it is cut and ends in the hash of `text`.
std::string bounded_part(std::string_view text, std::size_t most) {
  // A long text is hashed as a whole, but only its first `most + 1` characters are escaped.
  std::string out = escaped(text.substr(0, most + 1));
  if (out.size() <= most) return out;
  out.resize(most - kMarkChars);
  return out + mark_of("part", text);
}

}  // namespace

std::string make_bucket_key(std::string_view type, std::span<const std::string_view> parts,
                            std::size_t tag) {
  std::string key = bounded_part(type, kBucketTypeMax);
  const std::size_t type_end = key.size();
  std::string tagged;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = bounded_part(parts[i], kBucketPartMax);
    key += ':';
    if (i == tag) tagged = ":{" + part + "}";
    key += i == tag ? "{" + part + "}" : part;
  }
  if (key.size() <= kBucketKeyMax) return key;
  const std::string mark = mark_of("key", key);
  if (tagged.empty()) return key.substr(0, kBucketKeyMax - kMarkChars) + mark;
  return key.substr(0, type_end) + tagged + mark;
}

std::string_view bucket_type(std::string_view key) { return key.substr(0, key.find(':')); }

}  // namespace shingled::storage::buckets
