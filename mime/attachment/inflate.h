#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Unpacks a zlib stream (RFC 1950) or bare deflate: the one place that knows zlib.
///
/// Output:  as much as there is, also of a stream that is cut off; nothing if it is broken, is not
///          paid for or has much more than `bytes_max` bytes (never more than twice as many).
/// Threads: stateless.
/// Cost: linear in input and output, both paid to `meter`; some 40 KB while it runs.
std::optional<std::string> inflate_bytes(std::string_view packed, std::size_t bytes_max,
                                         WorkMeter& meter);

}  // namespace shingled::mime
