#pragma once

#include <optional>

#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/upstreams.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage {

/// Our side of an encrypted conversation: one key pair for the life of the process, so that the
/// servers can keep the shared key.
struct Sealing {
  PublicKey server{};
  PublicKey own{};
  SharedKey key;
};

/// What all requests to one remote service share.   Threads: any thread.
struct Service {
  RemoteOptions options;
  std::optional<Sealing> sealing;
  Upstreams upstreams;
  Clock& clock;
  Random& random;
};

}  // namespace shingled::storage
