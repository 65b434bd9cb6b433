// CMS structures: what was signed lies in the input or in the storage, and is never longer than the
// input.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mime/cms/signed_data.h"

using namespace shingled::mime;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view cms(reinterpret_cast<const char*>(data), size);
  std::string storage;
  const SignedData read = read_signed_data(cms, storage);
  const auto lies_in = [&](std::string_view whole) {
    return read.content.data() >= whole.data() &&
           read.content.data() + read.content.size() <= whole.data() + whole.size();
  };
  if (read.content.empty()) return 0;
  if (read.kind != SignedData::Kind::kSigned || read.content.size() > size) std::abort();
  if (!lies_in(cms) && !lies_in(storage)) std::abort();
  return 0;
}
