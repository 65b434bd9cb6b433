#pragma once

#include <cstdint>

#include "storage/client/remote_store.h"

namespace shingled::storage::client {

/// A request for a digest of nothing but `content`.
inline RemoteRequest request(RemoteRequest::Kind kind, std::uint8_t content = 1) {
  RemoteRequest request;
  request.kind = kind;
  request.flag = 50;
  request.value = 3;
  request.fingerprint.digest.bytes.fill(content);
  return request;
}

}  // namespace shingled::storage::client
