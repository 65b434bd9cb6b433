#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mime/message/charset.h"
#include "mime/message/header_words.h"
#include "mime/message/message_scan.h"

namespace shingled::mime {

// What takes a meter, for tests that are about something else: with all the work there is.

inline Mail scan_all(std::string_view message, const MimeOptions& options = {}) {
  WorkMeter meter(UINT64_MAX);
  return scan_message(message, options, meter);
}

inline DecodedText decode_all(std::string_view bytes, std::string_view label,
                              std::string& storage) {
  WorkMeter meter(UINT64_MAX);
  return decode_text(bytes, label, SIZE_MAX, storage, meter);
}

inline std::string decoded_subject(std::string_view raw_value) {
  WorkMeter meter(UINT64_MAX);
  return decode_subject(raw_value, meter);
}

inline std::string decoded_word(std::string_view bytes, std::string_view label) {
  WorkMeter meter(UINT64_MAX);
  return decode_word(bytes, label, meter);
}

}  // namespace shingled::mime
