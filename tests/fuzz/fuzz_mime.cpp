// A complete message, from bytes to hashes, with small limits that the fuzzer can reach.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"

using namespace shingled;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  MimeOptions options;
  options.depth_max = 8;
  options.parts_max = 100;
  options.part_bytes_max = 64 * 1024;
  options.compat = size % 2 == 0 ? Compat::kRspamd3 : Compat::kRspamd4;
  const mime::Analysis analysis = mime::analyze(message, options);
  const mime::Mail& mail = analysis.parts().mail;
  if (mail.parts.size() > options.parts_max) std::abort();
  for (std::size_t i = 0; i < mail.parts.size(); ++i) {
    const mime::MailPart& part = mail.parts[i];
    if (part.parent && *part.parent >= i) std::abort();
    if (part.depth >= options.depth_max || part.body.size() > options.part_bytes_max) std::abort();
  }
  HashOptions rule;
  rule.min_bytes = 0;
  rule.html_shingles = true;
  mime::hash_message(analysis, mime::HashRule(rule));
  return 0;
}
