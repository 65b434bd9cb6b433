#include "storage/crypto/message_name.h"

#include <sodium.h>

namespace shingled::storage::crypto {

static_assert(std::tuple_size_v<UpdateName> == crypto_generichash_BYTES_MIN);

UpdateName message_name(BytesView bytes) {
  UpdateName name{};
  crypto_generichash(name.data(), name.size(), bytes.data(), bytes.size(), nullptr, 0);
  return name;
}

}  // namespace shingled::storage::crypto
