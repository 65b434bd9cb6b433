// What the history keeps of a message for reports. What is read stays within its bounds and is the
// same when it is written and read again. The input follows the version and the name of the key.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "milter/reports/kept_code.h"

using namespace shingled;
using namespace shingled::milter::reports;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr CounterKeyBytes kSite{};
  Bytes bytes;
  append_number(bytes, kKeptCodeVersion);
  append_number(bytes, site_id(kSite));
  bytes.insert(bytes.end(), data, data + size);
  const auto read = decode_kept(bytes, kSite);
  if (!read) return 0;
  check(read->recipients.size() <= kKeptRecipientsMax);
  const auto again = decode_kept(encode_kept(*read, kSite), kSite);
  check(again && *again == *read);
  // Whoever reports it: the keys and hashes are those that are kept.
  const ReportedMessage reported = reported_message(*read, {}, {});
  check(reported.hashes.empty() && reported.keys.size() >= read->message.keys.size());
  return 0;
}
