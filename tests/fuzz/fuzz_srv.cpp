// The answer of a name server. The parser stays inside it, and its results are within their limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "storage/client/name_lookup.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto records = client::parse_srv_answer({data, size});
  if (!records) return 0;
  if (records->size() > client::kSrvRecordsMax) std::abort();
  for (const client::SrvRecord& record : *records) {
    if (record.port == 0 || record.target.empty() || record.target.size() > 255) std::abort();
  }
  const std::size_t count = records->size();
  client::order_srv(*records, size);
  if (records->size() != count) std::abort();
  for (std::size_t i = 1; i < count; ++i) {
    if ((*records)[i - 1].priority > (*records)[i].priority) std::abort();
  }
  return 0;
}
