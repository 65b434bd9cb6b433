#pragma once

#include "config/base/byte_reader.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::crypto {

/// A short name for some bytes: nobody finds other bytes of the same name. The same on every day,
/// for it is stored. BLAKE2b, 128 bits.
UpdateName message_name(BytesView bytes);

}  // namespace shingled::storage::crypto
