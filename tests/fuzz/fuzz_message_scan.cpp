// Only the scan of a message's raw bytes, with small limits. Each body is inside the message or its
// decoded bytes, parts come in pre-order, and the limits hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mime/message/message_scan.h"
#include "mime/message/part_kind.h"
#include "tests/mime/unmetered.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

bool lies_in(std::string_view piece, std::string_view whole) {
  return piece.empty() || (piece.data() >= whole.data() &&
                           piece.data() + piece.size() <= whole.data() + whole.size());
}

bool lies_in(std::string_view piece, const Mail& mail, std::string_view message) {
  if (lies_in(piece, message)) return true;
  for (const std::string& decoded : mail.decoded) {
    if (lies_in(piece, decoded)) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  MimeOptions options;
  options.depth_max = 5;
  options.parts_max = 50;
  options.header_bytes_max = 2048;
  options.header_line_bytes_max = 1024;
  options.part_bytes_max = 4096;
  for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
    options.compat = compat;
    const Mail mail = scan_all(message, options);
    require(mail.parts.size() <= options.parts_max);
    for (std::size_t i = 0; i < mail.parts.size(); ++i) {
      const MailPart& part = mail.parts[i];
      require(!part.parent || *part.parent < i);
      require(part.depth < options.depth_max);
      require(part.body.size() <= options.part_bytes_max);
      require(lies_in(part.raw_body, mail, message) && lies_in(part.body, mail, message));
      content_of(mail, part);
    }
  }
  return 0;
}
