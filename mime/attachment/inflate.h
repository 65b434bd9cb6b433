#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Unpacks a zlib stream (RFC 1950) or bare deflate. The only user of zlib.
///
/// Output:  everything up to the end of the stream or of `packed`. nullopt if the stream is broken,
///          `meter` refuses, `bytes_max` is 0, or the output is too large: more than `bytes_max`
///          bytes are refused only when a buffer of up to twice that size is full.
/// Threads: stateless.
/// Cost:    linear in input and output, paid to `meter`; about 40 KB of memory while it runs.
std::optional<std::string> inflate_bytes(std::string_view packed, std::size_t bytes_max,
                                         WorkMeter& meter);

}  // namespace shingled::mime
