#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// What rspamd hashes of the JavaScript in a PDF.
struct PdfScripts {
  bool found = false;  ///< there is one of any length: the PDF is hashed, whatever its type
  std::vector<Digest> digests;  ///< unkeyed, of each that is long enough, as one line, once
};

/// Finds the scripts of actions: strings of any form, objects, packed streams, object streams.
///
/// Input:   a PDF of any quality; encrypted streams are left alone.
/// Errors:  none; nothing of what `meter` refuses.
/// Threads: stateless.
/// Cost:    linear in the body and in what it unpacks, all paid to `meter`.
/// Memory: at most
///          kPdfUnpackedBytesMax and kPdfObjectsMax objects of some 300 bytes.
/// Source:  ISO 32000-1, 7.5 and 12.6.4.16, as far as rspamd reads it.
PdfScripts find_pdf_scripts(std::string_view body, WorkMeter& meter);

inline constexpr std::size_t kPdfObjectsMax = 20'000;
/// All that is kept unpacked at a time.
inline constexpr std::size_t kPdfUnpackedBytesMax = 16UL * 1024 * 1024;

}  // namespace shingled::mime
