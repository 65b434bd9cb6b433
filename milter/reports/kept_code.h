#pragma once

#include <cstdint>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "milter/reports/kept_message.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::milter::reports {

/// The version of the code below, its first byte.
inline constexpr std::uint8_t kKeptCodeVersion = 1;

/// What is kept of a message as bytes for the history: 9 bytes a piece, 17 a pair, and some 330 a
/// hash of a text.
/// Threads: stateless.
/// Source:  SCHEMA.md, "The history".
Bytes encode_kept(const KeptMessage& kept, const CounterKeyBytes& site);

/// Reads such bytes, from anybody.
/// Errors:  kCorrupt: not such bytes; kInvalid: of a newer version, or made with another key, whose
///          names mean nothing here.
/// Threads: stateless.
Result<KeptMessage> decode_kept(BytesView bytes, const CounterKeyBytes& site);

}  // namespace shingled::milter::reports
