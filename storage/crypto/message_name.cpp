#include "storage/crypto/message_name.h"

#include <sodium.h>

namespace shingled::storage {

static_assert(std::tuple_size_v<MessageName> == crypto_shorthash_siphashx24_BYTES);
static_assert(std::tuple_size_v<MessageNameKey> == crypto_shorthash_siphashx24_KEYBYTES);

MessageName message_name(const MessageNameKey& key, BytesView bytes) {
  MessageName name{};
  crypto_shorthash_siphashx24(name.data(), bytes.data(), bytes.size(), key.data());
  return name;
}

}  // namespace shingled::storage
