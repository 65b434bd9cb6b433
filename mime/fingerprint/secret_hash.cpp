#include "mime/fingerprint/secret_hash.h"

#include <cstring>

#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled {

static_assert(SecretHash::kKeyBytes == fingerprint::kSipKeyBytes);

const SecretHash& SecretHash::of_process() {
  static const SecretHash hash = [] {
    SystemRandom random;
    return SecretHash(random);
  }();
  return hash;
}

std::uint64_t SecretHash::operator()(std::string_view bytes) const {
  return fingerprint::siphash(key_, bytes);
}

std::uint64_t SecretHash::operator()(std::span<const std::uint8_t> bytes) const {
  return fingerprint::siphash(key_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::uint64_t SecretHash::operator()(std::uint64_t number) const {
  std::array<std::uint8_t, sizeof number> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  return (*this)(bytes);
}

std::size_t DigestHash::operator()(const Digest& digest) const {
  return SecretHash::of_process()(digest.bytes);
}

}  // namespace shingled
