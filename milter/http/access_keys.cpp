#include "milter/http/access_keys.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/system/whole_file.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::milter::http {

namespace {

constexpr std::size_t kKeysMax = 1000;

bool is_key(std::string_view text) {
  return text.size() >= AccessKeys::kKeyBytesMin && text.size() <= AccessKeys::kKeyBytesMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

Digest key_digest(std::string_view key) { return fingerprint::keyed_hash({}, {key}); }

Result<std::vector<Digest>> read_keys(const std::string& path) {
  const auto file = read_whole_file(path, AccessKeys::kFileBytesMax);
  if (!file) return file.error();
  if (!file->is_private())
    return Error{ErrorCode::kDenied, path + ": others may read it; allowed: mode 0600"};
  std::vector<Digest> out;
  std::string_view rest = file->text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    if (!is_key(line) || out.size() == kKeysMax)
      return Error{ErrorCode::kInvalid,
                   path + ":" + std::to_string(number) +
                       ": is not a key: 16 to 256 printable ASCII characters without blanks, at "
                       "most 1000 keys"};
    out.push_back(key_digest(line));
  }
  if (out.empty()) return Error{ErrorCode::kInvalid, path + ": has no keys"};
  return out;
}

}  // namespace

Result<std::unique_ptr<AccessKeys>> AccessKeys::open(std::string path) {
  std::unique_ptr<AccessKeys> keys(new AccessKeys(std::move(path)));
  auto digests = keys->read();
  if (!digests) return digests.error();
  keys->use(*std::move(digests));
  return keys;
}

Result<std::vector<Digest>> AccessKeys::read() const { return read_keys(path_); }

bool AccessKeys::accept(std::string_view key) const {
  const Digest wanted = key_digest(key.substr(0, kKeyBytesMax + 1));
  bool found = false;
  // All bytes of all keys, so that the time does not tell how much of a key is right.
  auto digests = digests_.lock();
  for (const Digest& digest : *digests) {
    unsigned differ = 0;
    for (std::size_t i = 0; i < digest.bytes.size(); ++i)
      differ |= static_cast<unsigned>(digest.bytes[i] ^ wanted.bytes[i]);
    found |= differ == 0;
  }
  return found;
}

}  // namespace shingled::milter::http
