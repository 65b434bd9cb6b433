// Bodies with a charset: the first line is the charset, the rest the bytes. Also the decoders of
// transfer encodings, which make such bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mime/charset/charset.h"
#include "mime/message/transfer_decoding.h"
#include "tests/mime/unmetered.h"

using namespace shingled::mime;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view label = input.substr(0, input.find('\n'));
  // Without the line break, so that a byte order mark can be at the beginning.
  const std::string_view body = input.substr(std::min(label.size() + 1, input.size()));
  std::string storage;
  const DecodedText text = decode_all(body, label, storage);
  const bool as_sent = text.utf8.data() == body.data();  // may contain raw bytes or a few errors
  if (!as_sent && !is_valid_utf8(text.utf8)) std::abort();
  if (!is_valid_utf8(replace_invalid_utf8(body))) std::abort();
  constexpr std::size_t kLimit = 1000;
  if (decode_base64(body, kLimit).size() > kLimit) std::abort();
  if (decode_quoted_printable(body, kLimit).size() > kLimit) std::abort();
  decode_uuencode(body, kLimit);
  guess_encoding(body);
  return 0;
}
