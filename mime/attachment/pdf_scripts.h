#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The JavaScript in a PDF, as rspamd hashes it.
struct PdfScripts {
  bool found = false;  ///< a script of any length: such a PDF is hashed whatever its type
  std::vector<Digest>
      digests;  ///< unkeyed, of each long enough script as one line; without repeats
};

/// Finds the scripts of actions: strings of any form, objects, packed streams, object streams.
///
/// Input:   a PDF, possibly broken; encrypted streams are skipped.
/// Does not: run a script, use the cross-reference tables, or unpack streams with other filters
///          than FlateDecode or with a predictor, as rspamd does not.
/// Errors:  none; an empty result if `meter` refuses.
/// Threads: stateless.
/// Cost:    linear in the body and in its unpacked streams, paid to `meter`.
/// Memory:  kPdfUnpackedBytesMax, and kPdfObjectsMax objects of about 300 bytes.
/// Source:  ISO 32000-1, 7.5 and 12.6.4.16, as far as rspamd reads it.
PdfScripts find_pdf_scripts(std::string_view body, WorkMeter& meter);

inline constexpr std::size_t kPdfObjectsMax = 20'000;
/// Unpacked bytes that are kept at a time.
inline constexpr std::size_t kPdfUnpackedBytesMax = 16UL * 1024 * 1024;

}  // namespace shingled::mime
