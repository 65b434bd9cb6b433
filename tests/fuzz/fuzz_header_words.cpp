// Header fields: encoded words, unfolding, media types, dispositions.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/message/charset.h"
#include "mime/message/field_parser.h"
#include "mime/message/header_block.h"
#include "mime/message/header_words.h"

using namespace shingled::mime;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  if (!is_valid_utf8(decode_subject(value))) std::abort();
  parse_media_type(value);
  parse_disposition(value);
  parse_transfer_encoding(value);
  split_header_block(value, {});
  return 0;
}
