#pragma once

#include "config/base/byte_reader.h"
#include "config/base/clock.h"

namespace shingled::storage::server {

/// Whether a packet that waited so long before it was read comes too late for an answer.
///
/// Its client has given it up and asks again; to answer it would only make those wait who have not
/// given up yet. The queue is read in order, so what is dropped is the oldest. Not dropped: WRITE
/// and DEL in the clear, which are few and whose repetition costs more. A sealed packet is not
/// opened to find out, for that is most of its cost; a sealed update too old is repeated by its
/// client, to whom nothing was promised.
///
/// `limit` 0: nothing is too late.
/// Threads: stateless.
bool is_too_late(BytesView packet, Duration waited, Duration limit);

}  // namespace shingled::storage::server
