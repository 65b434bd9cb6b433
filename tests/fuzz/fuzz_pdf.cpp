// Files of other programs: the objects of a PDF, and the lists of archives.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/attachment/archive_shape.h"
#include "mime/attachment/pdf_scripts.h"
#include "mime/message/part_kind.h"

using namespace shingled::mime;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  WorkMeter meter(20'000'000);
  const PdfScripts scripts = find_pdf_scripts(body, meter);
  if (!scripts.found && !scripts.digests.empty()) std::abort();
  read_image(body, sniff_image(body));
  for (const std::string_view subtype : {"zip", "x-rar", "x-7z-compressed", "gzip"}) {
    if (body.size() > 6) is_listable_archive(body, subtype, "a.gz", meter);
  }
  return 0;
}
