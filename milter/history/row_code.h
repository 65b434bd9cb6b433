#pragma once

#include <cstdint>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "milter/history/message_record.h"

namespace shingled::milter::history {

/// The version of the code below, its first byte. Rows of version 1, without what people said, are
/// read, too.
inline constexpr std::uint8_t kRowCodeVersion = 2;

/// A record as the bytes of a row. What exceeds the bounds of a record is left out; a score that is
/// no finite number becomes 0.
/// Threads: stateless.
/// Source:  SCHEMA.md, "The history".
Bytes encode_record(const MessageRecord& record);

/// Reads the bytes of a row, from anybody, into `out`, whose memory is used again. Features of a
/// newer program are left out.
/// Errors:  kCorrupt: not such bytes; kInvalid: of a newer version. `out` then has anything.
/// Threads: stateless.
/// Cost:    no allocation if `out` has had a record of this size, except for long symbols.
Status decode_record(BytesView bytes, MessageRecord& out);

/// The score of a row alone; nullopt: not such bytes.
/// Threads: stateless.
/// Cost:    reads the first bytes.
std::optional<double> score_of(BytesView bytes);

}  // namespace shingled::milter::history
