// Header fields: encoded words, unfolding, media types, dispositions.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/charset/charset.h"
#include "mime/message/field_parser.h"
#include "mime/message/header_block.h"
#include "mime/message/header_words.h"
#include "tests/mime/unmetered.h"

using namespace shingled::mime;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  if (!is_valid_utf8(decoded_subject(value))) std::abort();
  WorkMeter meter(UINT64_MAX);
  parse_media_type(value, meter);
  parse_disposition(value, meter);
  parse_transfer_encoding(value);
  split_header_block(value, {});
  return 0;
}
